"""Go: blocks that hide names, zeros, copies of structs, several values at once, and its own loops and jumps."""

import pytest

from tests.formats.code.normal.programs import alike, apart, columns, same, tree
from whorl.formats.code.normal.lowering import UnfitError
from whorl.formats.code.normal.nodes import BRANCHES, COMPOUND, INLINED, LOOPS, SPLIT, TAILS, TEMPORARIES, TRUTH


def file(code):
    return f'package main\nimport ("fmt"; "log"; "math"; "net/http")\n{code}\n'


def same_files(one, two):
    assert columns("go", file(one))[0] == columns("go", file(two))[0], (tree("go", file(one)), tree("go", file(two)))


def apart_files(one, two):
    assert columns("go", file(one))[0] != columns("go", file(two))[0], tree("go", file(one))


def main(statements):
    return f"func main() {{ {statements} }}"


def test_declarations_and_assignments():
    same("go", "var x int = f(); g(x, x)", "x := f(); g(x, x)")
    same("go", "var x int; x = f(); g(x, x)", "x := f(); g(x, x)")
    same("go", "var s string; g(s, s)", 's := ""; g(s, s)')
    same("go", "var p *T; g(p, p)", "var p *T = nil; g(p, p)")
    alike("go", "x++; y += x", "x = x + 1; y = y + x", COMPOUND)
    alike("go", "x &^= y", "x = x &^ y", COMPOUND)
    alike("go", "t := f(x) + 1; return t", "return f(x) + 1", TEMPORARIES)
    alike("go", "if f(x) == true { g(x) }", "if f(x) { g(x) }", TRUTH)
    same("go", "if v, ok := m[k]; ok { f(v) } else { g() }", "v, ok := m[k]; if ok { f(v) } else { g() }")


def test_a_zero_that_is_read_is_not_dropped():
    apart("go", "var x int; if c { x = f() }; g(x, x)", "x := f(); g(x, x)")
    once, each = "var s int; for c() {{ {} s += f(); g(s) }}", "for c() {{ {} s += f(); g(s) }}"
    apart("go", each.format("var s int;"), once.format(""))
    same("go", "var x int; if c { x = 1 } else { x = f() }; g(x)", "if c { x = 1 } else { x = f() }; g(x)")
    apart("go", "var x int; x = x + f(); g(x)", "x := f(); g(x)")


def test_several_values_at_once():
    alike("go", "a, b := 1, f(); g(a, b, a, b)", "a := 1; b := f(); g(a, b, a, b)", SPLIT)
    alike("go", "i, j = i + 1, j - 1; f(i, j)", "i = i + 1; j = j - 1; f(i, j)", SPLIT)
    for lost in ("a = b; b = a;", ""):
        apart("go", "a, b := f(), g(); a, b = b, a; h(a, b)", f"a, b := f(), g(); {lost} h(a, b)")
    apart("go", "i, v = 1, *p; f(i, v)", "i = 1; v = *p; f(i, v)")
    apart("go", "v, ok := m[k]; f(v, ok)", "v := m[k]; f(v, ok)")
    code = "var t int\nfunc f() int {{ return t }}\nfunc main() {{ x := 0; {}; g(t, x, x) }}"
    apart_files(code.format("t, x = 1, k()"), code.format("t = 1; x = k()"))
    same("go", "a, err := f(); b, err := g(a); h(a, b, err)", "a, err := f(); var b int; b, err = g(a); h(a, b, err)")


def test_what_goes_to_nowhere_is_evaluated_only():
    same("go", "_ = x; f()", "f()")
    same("go", "n := 0; n += 2; _ = n; f()", "f()")
    same("go", "_ = g(); f()", "g(); f()")
    apart("go", "_ = g(); f()", "f()")


def test_a_swap_by_a_third_name():
    swap = "t := xs[i]; xs[i] = xs[j]; xs[j] = t; f({})"
    same("go", swap.format(""), "xs[i], xs[j] = xs[j], xs[i]; f()")
    apart("go", swap.format("t"), "xs[i], xs[j] = xs[j], xs[i]; f(xs)")
    apart("go", "t := xs[ys[0]]; xs[ys[0]] = xs[j]; xs[j] = t; f()", "xs[ys[0]], xs[j] = xs[j], xs[ys[0]]; f()")


def test_a_name_that_hides_another_is_another_variable():
    apart("go", "x := 1; if c { x := 2; g(x, x) }; f(x, x)", "x := 1; if c { x = 2; g(x, x) }; f(x, x)")
    inner = tree("go", file(main("x := f(); if c { x := g(); h(x, x) }; k(x, x)")))
    assert len({node.text for node in inner.walk() if node.text.startswith(b"x")}) == 2
    same("go", "t := f(); g(t); if c { t := h(); k(t) }", "g(f()); if c { k(h()) }")
    apart_files("var x int\nfunc f() { x := 1; g() }", "var x int\nfunc f() { x = 1; g() }")


def test_structs_and_arrays_are_copied():
    apart("go", "t := b; t.x = 3; f(b.x)", "b.x = 3; f(b.x)")
    apart("go", "t := b; t.inc(); f(b.x)", "b.inc(); f(b.x)")
    apart("go", "t, u := xs[0], 1; t.x = 3; f(xs[0].x, u, u)", "xs[0].x = 3; u := 1; f(xs[0].x, u, u)")
    same("go", "t := []int{f()}; u := t; u[0] = 3", "t := []int{f()}; t[0] = 3")
    caller = "func main() {{ b := f(); {}; h(b.x) }}"
    for change in ("t.x = 3; g(t.x)", "t.inc()", "p := &t; k(p, p)"):
        called = f"func s(t T) {{ {change} }}\n" + caller.format("s(b)")
        apart_files(called, caller.format(change.replace("t.", "b.").replace("&t", "&b")))
    same_files("func s(t *T) { t.x = 3; g(t.x) }\n" + caller.format("s(b)"), caller.format("b.x = 3; g(b.x)"))
    apart_files(
        "func s(n int) *int { return &n }\nfunc main() { x := f(); p := s(x); *p = 3; h(x, p) }",
        "func main() { x := f(); p := &x; *p = 3; h(x, p) }",
    )
    apart("go", "var n N = 4; n.inc(); f(n)", "var n N; n.inc(); f(4)")


def test_what_has_the_address_may_change_it():
    ordered = "var a [5]int; s := a[:]; {} f(b, s)"
    apart("go", ordered.format("b := a; s[0] = 9;"), ordered.format("s[0] = 9; b := a;"))
    ordered = "c := C{{}}; go c.run(); {} g(d, c)"
    apart("go", ordered.format("d := c; f();"), ordered.format("f(); d := c;"))
    ordered = "m := make(map[int]int); k := m; {} f(n, n, k, m)"
    apart("go", ordered.format("n := len(m); k[1] = 2;"), ordered.format("k[1] = 2; n := len(m);"))


def test_loops():
    alike("go", "for i := 0; i < n; i++ { f(i) }", "i := 0; for i < n { f(i); i++ }", LOOPS)
    alike("go", "for { if i >= n { break }; f(i) }", "for i < n { f(i) }", LOOPS)
    same("go", "for range 10 { f() }", "for i := 0; i < 10; i++ { f() }")
    same("go", "for i := range 10 { f(i) }", "for i := 0; i < 10; i++ { f(i) }")
    apart("go", "for i := range m { f(i) }", "for _, v := range m { f(v) }")
    apart("go", "for i := range m { f(i) }", "for i, v := range m { f(i, v) }")


COUNTED = "for i := 0; i < len(xs); i++"


@pytest.mark.parametrize("body", ["f({})", "if {} < 3 {{ continue }}; f()", "s += {}"])
def test_a_loop_over_a_slice_counts(body):
    around = "func m(xs []int) int {{ s := 0; {} }}; return s }}".format
    same_files(around("for _, v := range xs { " + body.format("v")), around(f"{COUNTED} {{ " + body.format("xs[i]")))
    same_files(around("for i := range xs { " + body.format("xs[i]")), around(f"{COUNTED} {{ " + body.format("xs[i]")))
    fields = "type T struct { xs []int }\n" + around("t := T{}; LOOP { s += t.xs[i]")
    same_files(fields.replace("LOOP", "for i := range t.xs"), fields.replace("LOOP", COUNTED.replace("xs", "t.xs")))


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("[]int", "xs = append(xs, i)"), ("[]int", "i++; f(i)"), ("string", "f(i)"), ("map[int]int", "f(i)"),
        ("[]int", "p := &xs; f(p, i)"), ("[]int", "h := func() { xs = nil }; h(); f(i)"), ("chan int", "f(i)"),
    ],
)  # fmt: skip
def test_what_a_loop_over_a_slice_changes_it_goes_over_nevertheless(kind, body):
    apart_files(
        f"func m(xs {kind}) {{ for i := range xs {{ {body} }} }}", f"func m(xs {kind}) {{ {COUNTED} {{ {body} }} }}"
    )


def test_a_loop_over_an_array_has_a_copy():
    body = "{{ {} xs[2] = 9; g(x) }}"
    apart_files(
        "func m(xs [3]int) { for _, x := range xs " + body.format("") + " }",
        f"func m(xs [3]int) {{ {COUNTED} " + body.format("x := xs[i];") + " }",
    )
    apart_files(
        "var xs []int\nfunc m() { for i := range xs { f(i) } }", f"var xs []int\nfunc m() {{ {COUNTED} {{ f(i) }} }}"
    )


def test_switches():
    chain = "if x == 1 { f() } else if x == 2 || x == 3 { g() } else { h() }"
    alike("go", "switch x { case 1: f(); case 2, 3: g(); default: h() }", chain, BRANCHES)
    alike("go", "switch { default: h(); case x > 1: f() }", "if x > 1 { f() } else { h() }", BRANCHES)
    same("go", "switch true { case a, b: f() }", "if a || b { f() }")
    same("go", "switch x := f(); { case x > 1: g(x) }", "x := f(); if x > 1 { g(x) }")
    falling = "switch x {{ case 1: f(); {} case 2: g(); default: h() }}"
    apart("go", falling.format("fallthrough;"), falling.format(""))
    apart("go", falling.format("fallthrough;"), "if x == 1 { f(); g() } else if x == 2 { g() } else { h() }")
    apart("go", "for { switch x { case 1: break; default: h() }; k() }", "for { if x == 1 { break }; h(); k() }")
    apart("go", "switch v := x.(type) { case int: f(v); default: g(v) }", "switch x { case y: f(x); default: g(x) }")


def test_labels():
    loop = "{}: for {{ for {{ if x {{ {} }}; f() }}; g() }}"
    for word in ("break", "continue"):
        apart("go", loop.format("a", f"{word} a"), loop.format("a", word))
        same("go", f"a: for {{ f(); if x {{ {word} a }}; g() }}", f"for {{ f(); if x {{ {word} }}; g() }}")
    counting = "for i := 0; i < 3; i++ {{ for {{ if x(i) {{ {0}continue a }}; f() }} }}"
    still = "i := 0; a: for i < 3 {{ for {{ if x(i) {{ {}continue a }}; f() }}; i++ }}"
    same("go", "a: " + counting.format(""), still.format("i++; "))
    apart("go", "a: " + counting.format(""), still.format(""))
    apart("go", "x = 1; a: x = 2; if f(x) { goto a }", "x = 2; if f(x) { }")


def test_functions():
    two = "func two(a, b int) (int, int) { return a + 1, b * 2 }\n"
    same_files(
        two + main("x, y := two(f(), g()); h(x, y, x, y)"),
        main("a := f(); b := g(); x := a + 1; y := b * 2; h(x, y, x, y)"),
    )
    swap = "func swap(a, b int) (int, int) { return b, a }\n"
    apart_files(
        swap + main("x, y := f(), g(); x, y = swap(x, y); h(x, y)"), main("x, y := f(), g(); x = y; y = x; h(x, y)")
    )
    alike("go", "} func s(n int) { g(n, 2) } func k() { s(3)", "} func k() { g(3, 2)", INLINED)
    tail = "}} func f(n int) {{ {}".format
    alike("go", tail("if n > 0 { p(n); f(n - 1) }"), tail("for n > 0 { p(n); n = n - 1 }"), TAILS)
    kept = "keep(&n);"
    apart("go", tail(f"if n > 0 {{ {kept} f(n - 1) }}"), tail(f"for n > 0 {{ {kept} n = n - 1 }}"))
    apart_files("func f(n int) { n = n / 2; p(n) }\n" + main("x := g(); for c() { f(x) }"),
                main("x := g(); for c() { x = x / 2; p(x) }"))  # fmt: skip


def test_named_results():
    named = "func f() (n int, err error) {{ n = g(); err = nil; {} }}"
    same_files(named.format("return"), named.format("return n, err"))
    same_files("func f() (n int) { n = g(); return }", "func f() int { return g() }")
    same_files(
        "func f() (e error) { if c { e = g(); return }; h(); return }",
        "func f() error { if c { return g() }; h(); return nil }",
    )
    apart_files(
        "func f() (n int) { defer k(); n = g(); h(); return }", "func f() (n int) { defer k(); h(); return g() }"
    )


def test_what_runs_later_stays():
    for word in ("defer", "go"):
        apart("go", f"{word} f(); g()", "f(); g()")
        apart_files(f"func s() {{ {word} k(); g() }}\n" + main("s(); h()"), main("k(); g(); h()"))
    apart_files("func s() { defer k(); g() }\n" + main("s(); h()"), main("defer k(); g(); h()"))
    apart_files(
        "func f(n int) { if n > 0 { defer k(n); f(n - 1) } }", "func f(n int) { for n > 0 { defer k(n); n = n - 1 } }"
    )
    apart("go", "x := <-ch; f(); g(x)", "f(); g(<-ch)")
    apart("go", "select { case v := <-a: f(v); case b <- 1: g() }", "v := <-a; f(v)")
    apart("go", "panic(x); f()", "f()")


def test_calls():
    apart("go", "f := a; if c { f = b }; g(f(x))", "g(f(x))")
    apart_files("func (s S) total(x int) int { return x }\n" + main("g(total(3))"), main("g(3)"))
    apart_files(main('f(); g(); http.ListenAndServe(":80", nil)'), main("f(); g()"))
    apart_files(main('if c { log.Fatal("x") }; f(); g()'), main("if c { }; f(); g()"))
    apart("go", "var wg sync.WaitGroup; wg.Add(1); f(); g(); wg.Wait()", "var wg sync.WaitGroup; f(); g(); wg.Wait()")
    same_files(main('log.Println("step"); f(); g()'), main("f(); g()"))
    apart_files("func pow(b, e int) int { p(); return b }\n" + main("g(pow(x, 2))"), main("g(x * x)"))
    apart_files("func max(a, b int) int { p(); return a }\n" + main("max(1, 2); f()"), main("f()"))
    for one, two in (("f(xs...)", "f(xs)"), ("f(xs[1:])", "f(xs[:1])"), ("f(x.(int))", "f(x)"), ("f[i](x)", "f(x)")):
        apart("go", one, two)
    same_files("func f[T any](x T) { }\n" + main("f[int](x)"), "func f[T any](x T) { }\n" + main("f(x)"))


def test_literals_and_constants():
    constant = "const ( A = iota; B; C )\nfunc f() {{ g({}) }}".format
    same_files(constant("C"), constant("2"))
    same_files("const N = 0x20\nfunc f() { g(N) }", "func f() { g(32) }")
    apart_files("const size = 5\nfunc f() { g(h().size) }", "const size = 5\nfunc f() { g(5) }")
    struct = "type T struct {{ a, b int }}\nfunc f() {{ g({}) }}".format
    same_files(struct("T{a: x, b: y}"), struct("T{x, y}"))
    apart_files(struct("&T{x, y}"), struct("T{x, y}"))
    same("go", "p := new(T); g(p, p)", "p := &T{}; g(p, p)")
    same("go", "m := make(map[int]int, 8); g(m, m)", "m := map[int]int{}; g(m, m)")
    apart("go", "s := make([]int, 8); g(s, s)", "s := []int{}; g(s, s)")


def test_types_of_a_file_are_their_members():
    point = "type point struct {\n\tx, y int\n\tnext *point\n}\n"
    same_files(point, "// a place\ntype spot struct {\n\ta, b int // its coordinates\n\tafter *spot\n}\n")
    same_files("type shape interface { area() float64 }\n", "type form interface {\n\tsize() float64 // or more\n}\n")
    apart_files(point, point.replace("x, y", "x, y, z"))
    apart_files(point, point.replace("*point", "point"))
    apart_files(point, "")
    same_files("type number float64\n" + main("f()"), main("f()"))
    same_files(main("type point struct { x int }; f()"), main("f()"))


def test_what_is_printed():
    same_files(main('fmt.Print(fmt.Sprintf("%d", x))'), main('fmt.Printf("%d", x)'))
    same_files(main('fmt.Fprintln(os.Stdout, "a", x)'), main('fmt.Println("a", x)'))
    apart_files(main('fmt.Fprintln(w, "a", x)'), main('fmt.Println("a", x)'))


def test_statements_outside_of_functions():
    assert columns("go", "x := f()\ng(x)\n")[0]


@pytest.mark.parametrize(
    "code",
    [
        "T{" * 2_000 + "}" * 2_000,
        "[]int{" + "{" * 300 + "}" * 300 + "}",
        "x := a" + ".b" * 2_000,
        "x := &" + "&" * 500 + "a",
    ],
)
def test_what_is_nested_too_deep_has_none(code):
    with pytest.raises(UnfitError):
        columns("go", file(main(f"f({code})" if ":=" not in code else code)))
