"""Rows of the languages of the plain install, and of those that lexers read."""

from whorl.formats.code.row import Language, words

# C and C++ share these, so that a copy from one into the other has the same tokens.
C_DROPS = words("""
    preproc_include storage_class_specifier type_qualifier attribute_specifier attribute_declaration
    alignas_qualifier ms_declspec_modifier ms_call_modifier ms_based_modifier ms_pointer_modifier
    __extension__ access_specifier virtual virtual_specifier explicit_function_specifier noexcept using_declaration
""")
SCRIPT_DROPS = words("""
    import_statement import_alias decorator export export_clause namespace_export accessibility_modifier
    override_modifier static readonly abstract declare accessor jsx_text html_character_reference
""")

PLAIN = (
    Language(
        name="c",
        module="tree_sitter_c",
        extra="",
        extensions=("c", "h"),
        drops=C_DROPS,
        preprocessed=True,
    ),
    Language(
        name="cpp",
        module="tree_sitter_cpp",
        extra="",
        family="c",
        extensions=("cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "ino"),
        drops=C_DROPS,
        preprocessed=True,
    ),
    Language(
        name="csharp",
        module="tree_sitter_c_sharp",
        extra="",
        extensions=("cs", "csx"),
        drops=words("""
            using_directive extern_alias_directive modifier attribute_list global_attribute shebang_directive
            preproc_region preproc_endregion preproc_pragma preproc_nullable preproc_line
        """),
        drops_bodiless=words("file_scoped_namespace_declaration"),
        preprocessed=True,
    ),
    Language(
        name="go",
        module="tree_sitter_go",
        extra="",
        extensions=("go",),
        drops=words("package_clause import_declaration"),
    ),
    Language(
        name="java",
        module="tree_sitter_java",
        extra="",
        extensions=("java",),
        drops=words("package_declaration import_declaration modifiers annotation marker_annotation dimensions"),
    ),
    Language(
        name="javascript",
        module="tree_sitter_javascript",
        extra="",
        extensions=("js", "jsx", "mjs", "cjs"),
        interpreters=("node", "nodejs", "bun"),
        drops=SCRIPT_DROPS,
    ),
    Language(
        name="php",
        module="tree_sitter_php",
        extra="",
        function="language_php",
        extensions=("php", "php3", "php4", "php5", "phtml"),
        interpreters=("php",),
        comments=("//", "#", "/*"),
        drops=words("""
            namespace_use_declaration include_expression include_once_expression require_expression
            require_once_expression visibility_modifier static_modifier final_modifier abstract_modifier
            readonly_modifier var_modifier attribute_list php_tag php_end_tag text text_interpolation $ -> ?->
        """),
        drops_bodiless=words("namespace_definition"),
        keeps=frozenset({"."}),
        opening="<?php ",
    ),
    Language(
        name="python",
        module="tree_sitter_python",
        extra="",
        extensions=("py", "pyw", "pyi"),
        interpreters=("python", "pypy"),
        comments=("#",),
        drops=words("import_statement import_from_statement future_import_statement decorator line_continuation"),
        drops_lone={"expression_statement": "string"},
        keeps=frozenset({"@"}),
    ),
    Language(
        name="ruby",
        module="tree_sitter_ruby",
        extra="",
        extensions=("rb", "rake", "gemspec", "ru"),
        interpreters=("ruby", "jruby"),
        comments=("#",),
        drops=words("uninterpreted heredoc_beginning &. %w( %i("),
    ),
    Language(
        name="rust",
        module="tree_sitter_rust",
        extra="",
        extensions=("rs",),
        drops=words("""
            use_declaration extern_crate_declaration visibility_modifier function_modifiers attribute_item
            inner_attribute_item shebang # $ '
        """),
    ),
    Language(
        name="tsx",
        module="tree_sitter_typescript",
        extra="",
        function="language_tsx",
        family="javascript",
        extensions=("tsx",),
        drops=SCRIPT_DROPS,
    ),
    Language(
        name="typescript",
        module="tree_sitter_typescript",
        extra="",
        function="language_typescript",
        family="javascript",
        extensions=("ts", "mts", "cts"),
        interpreters=("deno", "ts-node", "tsx"),
        drops=SCRIPT_DROPS,
    ),
)


_LISP_KEEPS = frozenset("('`")
_LISP_SPELLS = words("Name.Builtin Name.Builtin.Pseudo Name.Function.Magic Keyword.Declaration")
# Pygments knows these only before a single blank.
_CLOJURE_NAMES = dict.fromkeys(("Keyword", "Keyword.Declaration", "Name.Builtin", "Name.Function"), "identifier")
_CLOJURE_WORDS = words("""
    def defn defn- defmacro defmulti defmethod defprotocol defrecord deftype ns fn let letfn loop recur if if-let if-not
    when when-let when-not cond condp case do doseq dotimes for while try catch finally throw new quote var set! and or
    not nil true false map filter reduce apply first rest next cons conj seq count assoc dissoc get + - * / = == < > <=
    >= not= inc dec str println print range take drop into vec list empty? nil? zero? even? odd? swap! reset! atom
""")
_MODIFIERS = words("public private protected internal static final abstract override const late external")

LEXED = (
    Language(
        name="assembly-8086",
        reader="pygments",
        module="pygments.lexers.asm",
        function="NasmLexer",
        extensions=("asm", "a86", "nasm", "tasm", "masm"),
        comments=(";",),
        folds_case=True,
        merges={"Name.Builtin": "register"},
        spells=words("Name.Function"),
    ),
    Language(
        name="clojure",
        reader="pygments",
        module="pygments.lexers.jvm",
        function="ClojureLexer",
        extensions=("clj", "cljs", "cljc", "edn"),
        comments=(";",),
        keeps=_LISP_KEEPS,
        merges=_CLOJURE_NAMES,
        reserved=_CLOJURE_WORDS,
    ),
    Language(
        name="cobol",
        reader="pygments",
        module="pygments.lexers.business",
        function="CobolLexer",
        extensions=("cob", "cbl", "cobol", "cpy"),
        comments=("*",),
        folds_case=True,
        blanks=r"^[^\n]{6}[*/][^\n]*+",
    ),
    Language(
        name="common-lisp",
        reader="pygments",
        module="pygments.lexers.lisp",
        function="CommonLispLexer",
        extensions=("lisp", "lsp", "cl", "el"),
        interpreters=("sbcl", "clisp", "ecl"),
        comments=(";", "#|"),
        folds_case=True,
        keeps=_LISP_KEEPS,
        spells=_LISP_SPELLS,
    ),
    Language(
        name="d",
        reader="pygments",
        module="pygments.lexers.d",
        function="DLexer",
        extensions=("d", "di"),
        interpreters=("rdmd",),
        drops=_MODIFIERS,
        drops_until={"import": ";", "module": ";"},
    ),
    Language(
        name="dart",
        reader="pygments",
        module="pygments.lexers.javascript",
        function="DartLexer",
        extensions=("dart",),
        interpreters=("dart",),
        drops=_MODIFIERS,
        drops_until={"import": ";", "library": ";", "export": ";", "part": ";"},
    ),
    Language(
        name="elixir",
        reader="pygments",
        module="pygments.lexers.erlang",
        function="ElixirLexer",
        extensions=("ex", "exs"),
        interpreters=("elixir",),
        comments=("#",),
        drops_until={"alias": "\n", "import": "\n", "require": "\n", "use": "\n"},
    ),
    Language(
        name="erlang",
        reader="pygments",
        module="pygments.lexers.erlang",
        function="ErlangLexer",
        extensions=("erl", "hrl", "escript"),
        interpreters=("escript",),
        comments=("%",),
    ),
    Language(
        name="fsharp",
        reader="pygments",
        module="pygments.lexers.dotnet",
        function="FSharpLexer",
        extensions=("fs", "fsx", "fsi"),
        interpreters=("fsharpi",),
        comments=("//", "(*"),
        drops=words("public private internal"),
        drops_until={"open": "\n"},
        keeps=frozenset(":"),
    ),
    Language(
        name="groovy",
        reader="pygments",
        module="pygments.lexers.jvm",
        function="GroovyLexer",
        extensions=("groovy", "gradle", "gvy"),
        files=("jenkinsfile",),
        interpreters=("groovy",),
        drops=_MODIFIERS,
        drops_until={"import": "\n", "package": "\n"},
    ),
    Language(
        name="kotlin",
        reader="pygments",
        module="pygments.lexers.jvm",
        function="KotlinLexer",
        extensions=("kt", "kts"),
        interpreters=("kotlin", "kotlinc"),
        drops=_MODIFIERS | words("open sealed data inner lateinit suspend inline operator infix tailrec companion"),
        drops_until={"import": "\n", "package": "\n"},
    ),
    Language(
        name="modula-2",
        reader="pygments",
        module="pygments.lexers.modula2",
        function="Modula2Lexer",
        extensions=("mod", "def", "mi", "m2"),
        comments=("(*",),
        drops_until={"FROM": ";", "IMPORT": ";"},
    ),
    Language(
        name="nim",
        reader="pygments",
        module="pygments.lexers.nimrod",
        function="NimrodLexer",
        extensions=("nim", "nims"),
        comments=("#",),
        drops_until={"import": "\n", "from": "\n", "include": "\n"},
    ),
    Language(
        name="pascal",
        reader="pygments",
        module="pygments.lexers.pascal",
        function="DelphiLexer",
        extensions=("pas", "p", "dpr", "dpk", "lpr", "pp"),
        interpreters=("instantfpc",),
        comments=("//", "{", "(*"),
        folds_case=True,
        drops=words("public private protected published virtual override forward inline"),
        drops_until={"uses": ";"},
        merges={"Keyword.Pseudo": "identifier", "Name.Builtin.Pseudo": "identifier"},
    ),
    Language(
        name="plsql",
        reader="pygments",
        module="pygments.lexers.sql",
        function="PlPgsqlLexer",
        extensions=("pls", "plsql", "pck", "pkb", "pks", "plb", "prc", "fnc", "trg"),
        comments=("--", "/*"),
        folds_case=True,
    ),
    Language(
        name="prolog",
        reader="pygments",
        module="pygments.lexers.prolog",
        function="PrologLexer",
        extensions=("pro", "prolog", "plt"),
        interpreters=("swipl", "gprolog"),
        comments=("%", "/*"),
        keeps=frozenset(":"),
        merges={"Literal.String.Atom": "identifier"},
    ),
    Language(
        name="r",
        reader="pygments",
        module="pygments.lexers.r",
        function="SLexer",
        extensions=("r",),
        files=(".rprofile",),
        interpreters=("rscript", "r"),
        comments=("#",),
    ),
    Language(
        name="scheme",
        reader="pygments",
        module="pygments.lexers.lisp",
        function="SchemeLexer",
        extensions=("scm", "ss", "sld", "sls", "rkt"),
        interpreters=("guile", "racket", "chibi-scheme", "csi"),
        comments=(";", "#|"),
        keeps=_LISP_KEEPS,
        merges={"Name.Constant": "literal:boolean"},
        spells=_LISP_SPELLS,
    ),
    Language(
        name="sml",
        reader="pygments",
        module="pygments.lexers.ml",
        function="SMLLexer",
        extensions=("sml", "sig", "fun"),
        interpreters=("sml", "mlton"),
        comments=("(*",),
        drops=words("open"),
        keeps=frozenset(":"),
        merges={"Keyword.Type": "identifier"},
    ),
    Language(
        name="spice",
        reader="own",
        module="whorl.formats.code.lexers",
        function="netlist",
        extra="",
        extensions=("cir", "sp", "spi", "spice", "ckt", "net", "cdl"),
        comments=("*",),
        folds_case=True,
    ),
    Language(
        name="tcl",
        reader="pygments",
        module="pygments.lexers.tcl",
        function="TclLexer",
        extensions=("tcl", "tk", "itcl"),
        interpreters=("tclsh", "wish", "expect"),
        comments=("#",),
        drops_until={"package": "\n", "source": "\n"},
        spells=words("Name.Builtin"),
    ),
    Language(
        name="visual-basic",
        reader="pygments",
        module="pygments.lexers.dotnet",
        function="VbNetLexer",
        extensions=("vb", "bas", "cls", "frm", "vbs"),
        comments=("'",),
        folds_case=True,
        drops=words("public private protected friend shared readonly overridable overrides mustinherit mustoverride"),
        drops_until={"imports": "\n", "option": "\n"},
    ),
)
