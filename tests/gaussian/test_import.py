"""What `slrsym.gaussian` loads, imported and used: SymPy, mpmath and python-flint."""

import subprocess
import sys

_SHOW = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"


def loaded(code: str) -> set[str]:
    """Top-level modules after a program."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; {_SHOW}"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_only_its_three_libraries_are_loaded():
    code = (
        "import sympy, slrsym.gaussian as g; x = sympy.Symbol('x', real=True); "
        "g.expectation(abs(x)**1.5 + sympy.erf(x)**2, g.standard_normal(x)).evalf()"
    )
    alone = loaded("import sympy, mpmath, flint")
    assert loaded(code) - alone - sys.stdlib_module_names == {"slrsym"}
