"""Open the workbench from the project's folder, as ``microscope open`` does where the package is installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pages.launch import main

if __name__ == "__main__":
    main()
