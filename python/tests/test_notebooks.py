"""The notebooks run from beginning to end; they assert what they claim."""

import os
import sys
from pathlib import Path

import pytest

import zbound

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


@pytest.mark.slow
@pytest.mark.parametrize("name, needs", [("spin_glass", ["matplotlib", "scipy"]),
                                         ("learning", ["matplotlib", "torch"])])
def test_notebook(name, needs, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    for package in needs:
        pytest.importorskip(package)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(
        [str(Path(zbound.__file__).parents[1]), *filter(None, sys.path)]))
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in shown)
