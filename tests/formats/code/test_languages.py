"""The table of languages: every row holds, and files find their row."""

from importlib import import_module

import pytest

from whorl.errors import UnknownNameError
from whorl.formats.code import languages
from whorl.formats.code.languages import LANGUAGES, ROWS, detect, installed, language, missing
from whorl.formats.code.plan import CLASSES, plan, symbol
from whorl.formats.code.row import Language
from whorl.formats.code.rows_lexed import PLAIN

PARSED = [row for row in ROWS if row.reader == "grammar"]

# The languages that the MOSS service takes, by our names; text is another front-end's.
MOSS = """
    c cpp java csharp python visual-basic javascript fortran ocaml sml haskell common-lisp scheme pascal modula-2 ada
    perl tcl matlab vhdl verilog spice mips assembly-8086 hcl prolog plsql
"""


class TestRows:
    @pytest.mark.parametrize("row", PARSED, ids=lambda row: row.name)
    def test_the_grammar_loads_and_has_what_the_row_names(self, row):
        assert installed(row.name)
        grammar = plan(row.name).grammar
        kinds = {grammar.node_kind_for_id(number) for number in range(grammar.node_kind_count)}
        relatives = [plan(other.name).grammar for other in PARSED if other.family == row.family]
        shared = {other.node_kind_for_id(number) for other in relatives for number in range(other.node_kind_count)}
        assert row.drops <= shared
        assert row.drops_bodiless | row.keeps | row.spells | row.opens <= kinds | shared
        assert set(row.merges) <= shared
        assert {*row.drops_lone, *row.drops_lone.values()} <= kinds

    def test_names_and_extensions_are_unique(self):
        extensions = [extension for row in ROWS for extension in row.extensions]
        interpreters = [interpreter for row in ROWS for interpreter in row.interpreters]
        assert len(LANGUAGES) == len(ROWS) >= 50
        assert [row.name for row in ROWS] == sorted(LANGUAGES)
        assert len(extensions) == len(set(extensions))
        assert len(interpreters) == len(set(interpreters))
        assert all(extension == extension.lower() and "." not in extension for extension in extensions)

    def test_a_family_is_named_after_a_language(self):
        assert all(LANGUAGES[row.family].family == row.family for row in ROWS)

    def test_every_class_has_its_own_symbol(self):
        classes = set()
        for row in PARSED:
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
        with pytest.raises(UnknownNameError, match=r"'perl6': did you mean 'perl'\? choose one of ada, assembly-8086"):
            language("perl6")

    def test_all_that_moss_takes_is_there(self):
        assert set(MOSS.split()) <= set(LANGUAGES)
        assert len(MOSS.split()) >= 25

    @pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
    def test_the_reader_loads(self, row):
        assert installed(row.name)
        assert callable(getattr(import_module(row.module), row.function))

    def test_which_extra_installs_what(self):
        plain = {row.name for row in ROWS if not row.extra}
        assert plain == {row.name for row in PLAIN} | {"spice"}
        assert len(PLAIN) == 12
        assert missing("java") == "pip install whorl"
        assert missing("pascal") == missing("ada") == 'pip install "whorl[languages]"'

    def test_what_is_not_installed(self, monkeypatch):
        installed.cache_clear()
        absent = Language(name="absent", module="no_such_module.at_all", extensions=("absent",))
        monkeypatch.setattr(languages, "LANGUAGES", {"absent": absent})
        assert not installed("absent")
        installed.cache_clear()


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
            ("a.h", b"#import <A.h>\n@interface A : B\n", "objective-c"),
            ("a.m", b"% finds\nfunction x = f(y)\n", "matlab"),
            ("a.m", b"// tells\n#import <A.h>\n@implementation A\n", "objective-c"),
            ("a.m", b"#include <stdio.h>\nint main(void) {\n", "objective-c"),
            ("a.pl", b"use strict;\nmy $x = f($y);\n", "perl"),
            ("a.pl", b"% a family\nparent(ada, byron).\n", "prolog"),
            ("a.pl", b":- use_module(library(lists)).\n", "prolog"),
            ("a.p", b"program A;\nbegin\nend.\n", "pascal"),
            ("a.sql", b"SELECT a FROM b;\n", "sql"),
            ("a.sql", b"-- pays\nCREATE OR REPLACE PROCEDURE a IS\n", "plsql"),
            ("a.sql", b"create function f() returns int\n", "plsql"),
            ("a.asm", b"mov ax, 1\nint 21h\n", "assembly-8086"),
            ("a.asm", b"main:\n  li $v0, 10\n  syscall\n", "mips"),
            ("a.asm", b"section .text\nmain:\n  mov rax, 60\n  syscall\n", "assembly-8086"),
            ("a.s", b".globl main\nmain: li $t0, 1\n", "mips"),
            ("a.s", b"section .text\nmov ax, 1\n", "assembly-8086"),
            ("a.ml", b"let rec f x = x\nlet g =\n  fun x -> x\n", "ocaml"),
            ("a.ml", b"fun f x = x + 1\n", "sml"),
            ("a.ml", b"structure A = struct\n", "sml"),
            ("a.bas", b"Sub A()\nEnd Sub\n", "visual-basic"),
            ("a.R", b"", "r"),
            ("a.F90", b"", "fortran"),
            ("a.f", b"", "fortran"),
            ("a.v", b"", "verilog"),
            ("a.mli", b"", "ocaml-interface"),
            ("Jenkinsfile", b"", "groovy"),
            ("home/.bashrc", b"", "bash"),
            ("run", b"#!/bin/sh\n", "bash"),
            ("run", b"#!/usr/bin/env Rscript\n", "r"),
            ("run", b"#!/usr/bin/env unheard\n", None),
            ("run", b"print(1)\n", None),
            ("py", b"", None),
            (".py", b"", None),
            ("dir.py/readme", b"", None),
            ("", b"", None),
        ],
    )
    def test_detect(self, name, head, expected):
        assert detect(name, head) == expected
