"""The languages of the plain install: what is handed in most, each read by its own grammar."""

from whorl.frontends.code.row import Language, words

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
    ),
    Language(
        name="cpp",
        module="tree_sitter_cpp",
        extra="",
        family="c",
        extensions=("cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "ino"),
        drops=C_DROPS,
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
