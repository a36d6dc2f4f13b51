"""The table of languages: every row holds, and files find their row."""

import pytest

from whorl.errors import UnknownNameError
from whorl.frontends.code.languages import LANGUAGES, ROWS, detect, installed, language
from whorl.frontends.code.plan import CLASSES, plan, symbol


class TestRows:
    @pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
    def test_the_grammar_loads_and_has_what_the_row_names(self, row):
        assert installed(row.name)
        grammar = plan(row.name).grammar
        kinds = {grammar.node_kind_for_id(number) for number in range(grammar.node_kind_count)}
        relatives = [plan(other.name).grammar for other in ROWS if other.family == row.family]
        shared = {other.node_kind_for_id(number) for other in relatives for number in range(other.node_kind_count)}
        assert row.drops <= shared
        assert row.drops_bodiless | row.keeps | set(row.merges) <= kinds
        assert {*row.drops_lone, *row.drops_lone.values()} <= kinds

    def test_names_and_extensions_are_unique(self):
        extensions = [extension for row in ROWS for extension in row.extensions]
        interpreters = [interpreter for row in ROWS for interpreter in row.interpreters]
        assert len(LANGUAGES) == len(ROWS) >= 12
        assert [row.name for row in ROWS] == sorted(LANGUAGES)
        assert len(extensions) == len(set(extensions))
        assert len(interpreters) == len(set(interpreters))
        assert all(extension == extension.lower() and "." not in extension for extension in extensions)

    def test_a_family_is_named_after_a_language(self):
        assert all(LANGUAGES[row.family].family == row.family for row in ROWS)

    def test_every_class_has_its_own_symbol(self):
        classes = set()
        for row in ROWS:
            grammar = plan(row.name).grammar
            names = {grammar.node_kind_for_id(number) for number in range(grammar.node_kind_count)}
            classes |= {(row.family, name) for name in names | set(CLASSES.values())}
        symbols = {symbol(family, name) for family, name in classes}
        assert len(symbols) == len(classes) > 2_000
        assert 0 not in symbols

    def test_symbols_are_fixed_for_ever(self):
        assert [symbol("java", "identifier"), symbol("c", "while"), symbol("python", "literal:string")] == [
            2715611127,
            865009269,
            2075050098,
        ]

    def test_an_unknown_language(self):
        with pytest.raises(UnknownNameError, match="unknown language 'cobol': choose one of c, cpp, csharp"):
            language("cobol")


class TestDetection:
    @pytest.mark.parametrize(
        ("name", "head", "expected"),
        [
            ("a.py", b"", "python"),
            ("src/deep/Main.JAVA", b"", "java"),
            ("C:\\work\\a.cs", b"", "csharp"),
            ("a.tar.ts", b"", "typescript"),
            ("List.tsx", b"", "tsx"),
            ("a.h", b"struct a { int class_id; };\n", "c"),
            ("a.h", b"// class of its own\n#pragma once\nclass A : public B {\n", "cpp"),
            ("a.h", b"#include <x>\nnamespace a {\n", "cpp"),
            ("a.h", b"  template<typename T>\n", "cpp"),
            ("run", b"#!/usr/bin/python3.11 -u\n", "python"),
            ("run", b"#!/usr/bin/env -S FOO=1 node --harmony\n", "javascript"),
            ("run", b"#! /usr/local/bin/ruby\n", "ruby"),
            ("run", b"#!php\n", "php"),
            ("run.txt", b"#!/usr/bin/env python\n", "python"),
            ("a.rb", b"#!/usr/bin/env python\n", "ruby"),
            ("run", b"#!/bin/sh\n", None),
            ("run", b"print(1)\n", None),
            ("py", b"", None),
            (".py", b"", None),
            ("dir.py/readme", b"", None),
            ("", b"", None),
        ],
    )
    def test_detect(self, name, head, expected):
        assert detect(name, head) == expected
