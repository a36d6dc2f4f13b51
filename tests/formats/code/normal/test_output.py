import pytest

from tests.formats.code.normal.programs import alike, apart, same
from whorl.formats.code.normal.nodes import OUTPUT

PRINTS = {
    "java": "System.out.print({});",
    "csharp": "Console.Write({});",
    "go": "fmt.Print({});",
    "javascript": "console.log({});",
    "typescript": "process.stdout.write({});",
    "python": "print({})\n",
    "cpp": "cout << {};",
}


@pytest.mark.parametrize("language", [name for name in PRINTS if name != "cpp"])
def test_prints_merged(language):
    printed = PRINTS[language].format
    alike(language, printed('"a" + x'), printed('"a"') + printed("x"), OUTPUT)
    apart(language, printed("x"), printed('"x"'))
    apart(language, printed("x + y"), printed("x") + printed("y"))
    if language != "python":
        apart(language, printed('"a"') + "f();" + printed("x"), printed('"a" + x') + "f();")


def test_cpp():
    alike("cpp", 'cout << "a" << x << endl;', 'std::cout << "a"; std::cout << x << "\\n";', OUTPUT)
    apart("cpp", "cout << x;", "cin >> x;")
    apart("cpp", "log << x;", "cout << x;")


def test_c():
    alike("c", 'printf("%d", x); puts("b");', 'printf("%d", x, "b");', OUTPUT)


def test_values_inside_strings():
    same("python", 'print(f"a {x}")\n', 'print("a " + x)\n')
    same("javascript", "console.log(`a ${x}`);", 'console.log("a " + x);')
    same("csharp", 'Console.WriteLine($"a {x:F2}");', 'Console.WriteLine("a " + x);')
