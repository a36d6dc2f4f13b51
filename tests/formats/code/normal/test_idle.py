import pytest

from tests.formats.code.normal.programs import C_LIKE, WITH_TYPES, alike, apart, columns, same
from whorl.formats.code.normal.nodes import IDLE


@pytest.mark.parametrize("language", WITH_TYPES)
def test_values_that_nobody_reads(language):
    alike(language, "int d = x * 3; f(x);", "f(x);", IDLE)
    alike(language, "int y = 0; y = f(x); g(y, y);", "int y; y = f(x); g(y, y);", IDLE)
    alike(language, "int y = 0; while (a) { y = f(x); g(y, y); }", "while (a) { int y = f(x); g(y, y); }", IDLE)
    apart(language, "int d = f(x); g(x);", "g(x);")
    apart(language, "int y = 0; if (a) { y = f(x); } g(y, y);", "int y; if (a) { y = f(x); } g(y, y);")
    apart(language, "int y = 0; while (a) { g(y, y); y = f(x); }", "while (a) { g(y, y); int y = f(x); }")


@pytest.mark.parametrize("language", WITH_TYPES)
def test_values_that_are_read_for_such_values_only(language):
    alike(language, "int q = x * 7; int z = q + 3; f(x);", "f(x);", IDLE)
    chain = "int q = x * 7; while (g(x)) { int z = q + q; z = z + 1; int r = z * q; }"
    alike(language, chain, "while (g(x)) { }", IDLE)
    alike(language, "int q = x * 7; int z = q + 3; f(q, q);", "int q = x * 7; f(q, q);", IDLE)
    apart(language, "int q = x * 7; int z = g(q); f(x);", "int z = g(x); f(x);")
    apart(language, "int q = g(x); int z = q + 3; f(x);", "f(x);")


@pytest.mark.parametrize("language", C_LIKE)
def test_what_is_never_reached_or_does_nothing(language):
    alike(language, "return x; f(x);", "return x;", IDLE)
    alike(language, "x + 1; f(x);", "f(x);", IDLE) if language not in ("csharp", "java") else None
    alike(language, "if (x < 1) { } f(x);", "f(x);", IDLE)
    apart(language, "if (g(x)) { } f(x);", "f(x);")
    apart(language, "x = 1; f();", "f();")


@pytest.mark.parametrize("language", ["cpp", "csharp", "java", "javascript", "typescript", "tsx"])
def test_branches_that_literals_decide(language):
    for dead in (
        "if (false) { g(x); }",
        "while (false) { g(x); }",
        "if (1 > 2) { g(x); } else { }",
        "if (!true) g(x);",
    ):
        alike(language, f"{dead} f(x);", "f(x);", IDLE)
    for always in ("if (true) { f(x); } else { g(x); }", "do { f(x); } while (false);", "if (3 == 3 || g(x)) f(x);"):
        alike(language, always, "f(x);", IDLE)
    alike(language, "if (h(x) && true) f(x);", "if (h(x)) f(x);", IDLE)
    alike(language, "while (true && (h(x) || false)) f(x);", "while (h(x)) f(x);", IDLE)
    alike(language, "try { } catch (Exception e) { g(x); } f(x);", "f(x);", IDLE)
    if language != "cpp":
        alike(language, "try { f(x); } finally { }", "f(x);", IDLE)
        apart(language, "try { f(x); } finally { g(x); }", "f(x); g(x);")
    alike(language, "for (; false; ) { g(x); } f(x);", "f(x);", IDLE)
    alike(language, '"a".length(); f(x);', "f(x);", IDLE)
    apart(language, "while (true) { f(x); }", "f(x);")
    apart(language, "do { if (h(x)) break; f(x); } while (false);", "if (h(x)) { } f(x);")
    apart(language, "try { h(x); } catch (Exception e) { g(x); } f(x);", "h(x); f(x);")
    apart(language, "if (g(x) && false) f(x);", "")
    apart(language, "if (010 == 10) g(x); f(x);", "g(x); f(x);")


@pytest.mark.parametrize("language", ["cpp", "java", "javascript", "python"])
def test_numbers_that_no_machine_has_decide_nothing(language):
    """Python refuses to convert very long ones: each cost its program the normal form."""
    long = "7" * 5_000
    conditions = [long, f"{long} == 2", f"!({long} < 2)"][: 2 if language == "python" else 3]
    for condition in conditions:
        code = f"if {condition}:\n    g(x)\nf(x)\n" if language == "python" else f"if ({condition}) g(x); f(x);"
        apart(language, code, "f(x)\n" if language == "python" else "f(x);")


def test_statements_of_python_that_do_nothing():
    idle = (
        "assert True", "...", "lambda: g(x)", "[1, 2]", "(1, x)", "if False: g(x)", "while 0: g(x)",
        "for y in (): g(y)",
        "try:\n        pass\n    except E:\n        g(x)", "(y := 1)", "y = 1; del y", "y = x if True else g(x)",
    )  # fmt: skip
    for each in idle:
        same("python", f"def m(x):\n    {each}\n    f(x)\n", "def m(x):\n    f(x)\n")
    alike("python", "def m(x):\n    y = x = f(x)\n    g(x, x)\n", "def m(x):\n    x = f(x)\n    g(x, x)\n", IDLE)
    for each in (
        "assert x",
        "[g(x)]",
        "for y in (x,): g(y)",
        "try:\n        g(x)\n    except E:\n        pass",
        "del x[1]",
    ):
        apart("python", f"def m(x):\n    {each}\n    f(x)\n", "def m(x):\n    f(x)\n")


def test_fields_outlive_the_method():
    given, read = "    def __init__(self, a):\n        {}\n", "    def m(self):\n        return self.a\n"
    for one in ("self.a = a", "self.a = []", "self.a: int = 3", "self.a, self.b = a, 2", "self.a = b = 1"):
        apart("python", f"class A:\n{given.format(one)}{read}", f"class A:\n{given.format('pass')}{read}")
    apart("python", "def m(self):\n    self.a = 1\n    f()\n    g(self.a)\n", "def m(self):\n    f()\n    g(1)\n")


def test_objects_and_functions_that_nobody_uses():
    same("java", "new Object(); Runnable r = () -> { g(x); }; f(x);", "f(x);")
    apart("java", "new Thread(); f(x);", "f(x);")
    apart("java", "Runnable r = () -> { g(x); }; f(r, r);", "f(x, x);")


def test_what_is_exported_is_read_elsewhere():
    for value in ("() => f(1)", "[1, 2]", "a"):
        apart("javascript", f"}} export default {value}; {{", "} {")


@pytest.mark.parametrize("language", ["cpp", "csharp", "java", "javascript", "typescript", "tsx"])
def test_calls_that_only_log_literals(language):
    alike(language, 'LOG.fine("a"); f(x); LOG.fine("b", 2); g(x);', "f(x); g(x);", IDLE)
    alike(language, 'while (f(x)) { App.log.debug("a"); g(x); }', "while (f(x)) { g(x); }", IDLE)
    apart(language, "LOG.fine(x); f(x); g(x);", "f(x); g(x);")
    apart(language, "if (LOG.fine(2)) { f(x); } g(x);", "f(x); g(x);")
    apart(language, "System.exit(1); f(x);", "f(x);")


LOGGING = {
    "csharp": "class A {{ static Logger L = {}; static void Main() {{ {} f(x); g(x); }} }}",
    "java": "class A {{ static final Logger L = {}; public static void main(String[] a) {{ {} f(x); g(x); }} }}",
    "javascript": "const L = {}; function main() {{ {} f(x); g(x); }}",
}


@pytest.mark.parametrize("language", LOGGING)
def test_calls_that_only_log_literals_on_what_the_program_makes(language):
    def symbols(made, statements):
        return columns(language, LOGGING[language].format(made, statements))[0]

    for made in ("new Logger()", 'Logger.getLogger("a")'):
        assert symbols(made, 'L.info("a"); L.info(x);') == symbols(made, "L.info(x);")
        assert symbols(made, 'L.info("a"); if (L.info(x)) { h(x); }') != symbols(made, "if (L.info(x)) { h(x); }")
    assert symbols("other", 'L.info("a");') != symbols("other", "")  # it may be asked by another name


def test_calls_with_literals_stay_if_they_are_what_a_program_does():
    apart("java", 'm(); } static void log(int a) { f(a); h(b); } static void m() { A.log(3); g(x);',
          "m(); } static void log(int a) { f(a); h(b); } static void m() { g(x);")  # fmt: skip
    apart("javascript", "f(x); L.push(1); L.push(2);", "f(x);")
    drawing = "f(x); g(x); while (a) { L.left(1); f(x); } while (b) { L.right(1); f(x); } L.up(2); L.down(2); "
    alike("javascript", drawing + "f(x);", drawing.replace("L.left(1); ", "") + "f(x);", IDLE)
    apart("javascript", drawing + "L.forward(3); f(x);", drawing.replace("L.left(1); ", "") + "L.forward(3); f(x);")


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_casts_that_nobody_reads(language):
    alike(language, "(void)0; f(x); (void)x;", "f(x);", IDLE)
    apart(language, "(void)f(x);", "")


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_what_others_can_reach_stays(language):
    apart(language, "int x = 1; int *p = &x; x = 2; f(*p, p);", "int x = 1; int *p = &x; f(*p, p);")
    apart(language, 'int x; scanf("%d", &x); f();', "int x; f();")


def test_what_a_label_leads_to_is_reached():
    apart("c", "if (a) { goto e; } return x; e: f(x);", "if (a) { goto e; } return x;")


def test_python():
    alike(
        "python", 'def m(x):\n    "doc"\n    d = 3\n    pass\n    return f(x)\n', "def m(x):\n    return f(x)\n", IDLE
    )
    logged = "import logging\nlogging.basicConfig(level=3)\ndef m(x):\n    {}return f(x)\n"
    alike("python", logged.format("logging.debug('a %d', 2)\n    "), logged.format(""), IDLE)
    apart("python", "def m(x):\n    a = []\n    a.append(1)\n    return a\n", "def m(x):\n    a = []\n    return a\n")
    apart("python", "class A:\n    d = 3\n", "class A:\n    pass\n")
    apart("python", "def m(x):\n    global d\n    d = 3\n    return f(x)\n", "def m(x):\n    return f(x)\n")
    apart("python", "def m(x):\n    d = 3 * x\n    return lambda: d\n", "def m(x):\n    return lambda: d\n")


# A class that keeps what it is given in a field, and the name of what it is given.
KEEPING = {
    "cpp": "struct A {{ int owner; A(int {0}, int x) {{ this->owner = {1}; f(x); }} int g() {{ return owner; }} }};",
    "csharp": "class A {{ int owner; A(int {0}, int x) {{ this.owner = {1}; f(x); }} int Get() {{ return owner; }} }}",
    "java": "class A {{ int owner; A(int {0}, int x) {{ this.owner = {1}; f(x); }} int get() {{ return owner; }} }}",
    "javascript": "class A {{ constructor({0}, x) {{ this.owner = {1}; f(x); }} get() {{ return this.owner; }} }}",
    "typescript": "class A {{ constructor({0}, x) {{ this.owner = {1}; f(x); }} get() {{ return this.owner; }} }}",
}


@pytest.mark.parametrize("language", KEEPING)
def test_a_field_is_not_the_parameter_of_its_name(language):
    def symbols(given, kept):
        return columns(language, KEEPING[language].format(given, kept))[0]

    assert symbols("owner", "owner") == symbols("who", "who")
    assert len(symbols("owner", "owner")) == len(symbols("owner", "x"))


@pytest.mark.parametrize("language", ["csharp", "java"])
def test_a_field_is_the_bare_name_where_nothing_hides_it(language):
    bare = KEEPING[language].replace("this.", "")
    assert (
        columns(language, bare.format("who", "who"))[0]
        == (columns(language, KEEPING[language].format("who", "who"))[0])
    )


@pytest.mark.parametrize("language", WITH_TYPES)
def test_a_counter_that_nobody_reads_is_left_out(language):
    alike(language, "for (int i = 99; x(); i--) { f(y); }", "while (x()) { f(y); }", IDLE)
    apart(language, "for (int i = 99; x(); i--) { f(i); }", "while (x()) { f(y); }")
    apart(language, "int i = 9; while (x()) { i = g(i); }", "while (x()) { }")
