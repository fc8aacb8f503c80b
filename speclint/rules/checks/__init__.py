"""Rules that data cannot say: functions that a rule file names by ``check:``.

A check is ``def name(view: View) -> object``: it stands in the place of ``when`` and answers with True, False or an
Unknown for one launch in one world. Everything else, from the summary to the examples, is data as for any rule.
"""
