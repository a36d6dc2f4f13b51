"""The conformance suite for the languages of the extra that have a grammar, on a program of each."""

from pathlib import Path

from tests.conformance.code import CodeConformance

SAMPLES = Path(__file__).with_name("samples")

ASCII = "o"  # where names have no other letters


def sample(name):
    return (SAMPLES / name).read_text(encoding="utf-8")


class TestAda(CodeConformance):
    language = "ada"
    sample = sample("stacks.adb")
    letter = ASCII
    function = "procedure Twice is\nbegin\n   A := B * 2;\n   C := D + 1;\nend Twice;\n"


class TestBash(CodeConformance):
    language = "bash"
    sample = sample("backup.sh")
    letter = ASCII
    names = 35
    shape = r"\w+"
    function = "twice() {\n  while [ $n -gt 1 ]; do\n    n=$((n - 2))\n  done\n}\n"


class TestCss(CodeConformance):
    language = "css"
    sample = sample("style.css")
    names = 8
    different = 5
    function = "p > b {\n  margin: 2px 3px;\n  color: red;\n  padding: 1em;\n}\n"


class TestFortran(CodeConformance):
    language = "fortran"
    sample = sample("heat.f90")
    letter = ASCII
    function = "subroutine twice(n)\n  integer :: n\n  n = n * 2 + 1\nend subroutine twice\n"


class TestHaskell(CodeConformance):
    language = "haskell"
    sample = sample("Bank.hs")
    shape = r"\w+'?"
    body = sample[sample.index("-- An account") :]
    function = "twice :: Int -> Int\ntwice n = if n > 1 then n * 2 else n + 1\n"


class TestHcl(CodeConformance):
    language = "hcl"
    sample = sample("network.tf")
    recovers = 0.6
    function = 'thing "one" {\n  size = 2 * count + 1\n  name = "n"\n}\n'


class TestHtml(CodeConformance):
    language = "html"
    sample = sample("page.html")
    names = 0
    different = 0
    function = '<div class="a"><p id="b">one</p><p>two</p><hr></div>\n'


class TestJulia(CodeConformance):
    language = "julia"
    sample = sample("walk.jl")
    function = "function twice(n)\n    while n > 1\n        n -= 2\n    end\n    return n * 2\nend\n"


class TestLua(CodeConformance):
    language = "lua"
    sample = sample("queue.lua")
    function = "function twice(n)\n  while n > 1 do n = n - 2 end\n  return n * 2\nend\n"


class TestMatlab(CodeConformance):
    language = "matlab"
    sample = sample("newton.m")
    letter = ASCII
    note = (" % a (note) = it's \"one", "")
    function = "function n = twice(n)\n    while n > 1\n        n = n - 2;\n    end\nend\n"


class TestMips(CodeConformance):
    language = "mips"
    sample = sample("sort.s")
    letter = ASCII
    names = 20
    different = 10
    shape = r"\w+:?"
    function = "twice:\n        add $t0, $t0, $t0\n        addi $t1, $t1, 2\n        j twice\n"


class TestObjectiveC(CodeConformance):
    language = "objective-c"
    sample = sample("Account.mm")
    function = "int twice(int n) {\n    while (n > 1) { n -= 2; }\n    return n * 2;\n}\n"


class TestOcaml(CodeConformance):
    language = "ocaml"
    sample = sample("tree.ml")
    shape = r"'?\w+"
    letter = ASCII
    function = "let rec twice n =\n  if n > 1 then twice (n - 2) else n * 2\n"


class TestOcamlInterface(TestOcaml):
    language = "ocaml-interface"
    sample = sample("tree.mli")
    function = "val twice : int -> int list -> int\nval once : int -> string\n"


class TestPerl(CodeConformance):
    language = "perl"
    sample = sample("words.pl")
    letter = ASCII
    shape = r"[@$%#]*\w+"
    function = "sub twice {\n    my $n = shift;\n    while ($n > 1) { $n -= 2; }\n    return $n * 2;\n}\n"


class TestPowershell(CodeConformance):
    language = "powershell"
    sample = sample("report.ps1")
    letter = ASCII
    shape = r"\$?[\w-]+"
    body = sample[sample.index("$total = 0") :]
    function = "function Twice {\n    while ($n -gt 1) { $n -= 2 }\n    return $n * 2\n}\n"


class TestScala(CodeConformance):
    language = "scala"
    sample = sample("Stack.scala")
    function = "object Twice {\n  def of(n: Int): Int = {\n    if (n > 1) n - 2 else n * 2\n  }\n}\n"


class TestSql(CodeConformance):
    language = "sql"
    sample = sample("shop.sql")
    function = "SELECT a, b FROM c WHERE d > 1 AND e = 'f';\n"


class TestSwift(CodeConformance):
    language = "swift"
    sample = sample("Garden.swift")
    function = "func twice(n: Int) -> Int {\n    while n > 1 { n -= 2 }\n    return n * 2\n}\n"


class TestVerilog(CodeConformance):
    language = "verilog"
    sample = sample("alu.v")
    letter = ASCII
    different = 12
    function = "module twice;\n  reg a;\n  initial begin\n    a = b + 1;\n    c = a * 2;\n  end\nendmodule\n"


class TestSystemVerilog(TestVerilog):
    language = "systemverilog"


class TestVhdl(CodeConformance):
    language = "vhdl"
    sample = sample("counter.vhd")
    letter = ASCII
    function = "entity twice is\n  port (\n    a : in bit;\n    b : out bit\n  );\nend entity twice;\n"


class TestZig(CodeConformance):
    language = "zig"
    sample = sample("ring.zig")
    letter = ASCII
    function = "fn twice(n: u8) u8 {\n    while (n > 1) { n -= 2; }\n    return n * 2;\n}\n"
