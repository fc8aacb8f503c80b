"""Build the documentation as a site, in site/: the pages by Zensical, and the wheel that the playground runs.

    pip install -e '.[docs]' && python tools/site.py && python -m http.server -d site
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    zensical = shutil.which("zensical", path=str(Path(sys.executable).parent)) or "zensical"
    subprocess.run([zensical, "build", "--clean", "--strict", "--config-file", "mkdocs.yml"], cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, str(ROOT)]
        subprocess.run(words, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        # By a name without a version, which page.js would have to know.
        shutil.copy(wheel, ROOT / "site" / "playground" / "speclint.whl")
    return 0


if __name__ == "__main__":
    sys.exit(main())
