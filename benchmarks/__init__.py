"""How fast speclint is, as ratios that hold on any machine.

``python -m benchmarks`` makes its own trees in a temporary folder, runs each command and what it is compared with in
turn, and prints the ratio of the medians: of processor time, which other programs on the machine disturb little, and of
wall time. Nothing here fails; numbers are read by people.
"""
