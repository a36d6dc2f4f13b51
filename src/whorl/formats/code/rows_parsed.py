"""Languages of the extra ``languages`` with their own grammar.

``spells`` keeps kinds apart where a grammar has one kind for all operators, or for keywords in effect (HTML's tags, an
assembler's instructions).
"""

from whorl.formats.code.row import Language, classes, words
from whorl.formats.code.rows_lexed import C_DROPS

_OCAML_DROPS = words("open_module open_module_signature attribute item_attribute floating_attribute [| |]")
_OCAML_MERGES = classes(
    name="""
        value_name value_pattern constructor_name module_name module_type_name type_constructor type_variable field_name
        method_name instance_variable_name class_name class_type_name label_name
    """,
    string="string quoted_string",
    number="number",
)
_OCAML_SPELLS = words("""
    rel_operator add_operator mult_operator pow_operator and_operator or_operator assign_operator prefix_operator
    sign_operator hash_operator concat_operator let_operator indexing_operator
""")
_VERILOG_DROPS = words("""
    one_line_comment timescale_compiler_directive include_compiler_directive default_nettype_compiler_directive
    resetall_compiler_directive package_import_declaration
""")
_VERILOG_MERGES = classes(
    name="simple_identifier escaped_identifier c_identifier",
    number="integral_number unsigned_number fixed_point_number time_literal",
)

PARSED = (
    Language(
        name="ada",
        module="tree_sitter_ada",
        extensions=("adb", "ads", "ada"),
        comments=("--",),
        folds_case=True,
        drops=words("with_clause use_clause pragma_g tick"),
        merges=classes(number="numeric_literal"),
    ),
    Language(
        name="bash",
        module="tree_sitter_bash",
        extensions=("sh", "bash", "zsh", "ksh"),
        files=(".bashrc", ".profile", ".bash_profile"),
        interpreters=("sh", "bash", "dash", "ksh", "zsh"),
        comments=("#",),
        drops=words("$ (( )) ;; heredoc_start heredoc_end"),
        merges=classes(
            name="command_name variable_name special_variable_name",
            string="word raw_string ansi_c_string translated_string concatenation extglob_pattern",
        ),
        spells=words("test_operator"),
    ),
    Language(
        name="css",
        module="tree_sitter_css",
        extensions=("css",),
        comments=("/*",),
        drops=words("import_statement charset_statement js_comment #"),
        merges=classes(
            name="id_name keyframes_name",
            number="integer_value float_value",
            string="string_value",
            color="color_value",
            word="plain_value",
        ),
        spells=words("property_name tag_name feature_name keyword_query attribute_name at_keyword function_name unit"),
    ),
    Language(
        name="fortran",
        module="tree_sitter_fortran",
        extensions=("f", "for", "ftn", "f77", "f90", "f95", "f03", "f08", "f18", "fpp"),
        comments=("!",),
        folds_case=True,
        cards=True,
        drops=words("use_statement import_statement implicit_statement type_qualifier &"),
        merges=classes(name="type_name type_member module_name method_name binding_name local_name"),
        opens=words("identifier"),
    ),
    Language(
        name="haskell",
        module="tree_sitter_haskell",
        extensions=("hs", "hsc"),
        interpreters=("runhaskell", "runghc", "stack"),
        comments=("--", "{-"),
        drops=words("header imports import pragma haddock"),
        merges=classes(name="variable constructor module_id name", character="char"),
        spells=words("operator constructor_operator"),
        untabs=True,
    ),
    Language(
        name="hcl",
        module="tree_sitter_hcl",
        extensions=("hcl", "tf", "tfvars"),
        comments=("#", "//", "/*"),
        drops=words("ellipsis"),
        merges=classes(string="string_lit quoted_template heredoc_template", number="numeric_lit"),
    ),
    Language(
        name="html",
        module="tree_sitter_html",
        extensions=("html", "htm", "xhtml"),
        comments=("<!--",),
        folds_case=True,
        drops=words("doctype < > /> ="),
        merges={
            **classes(string="quoted_attribute_value attribute_value", text="text raw_text entity"),
            "end_tag": "end",
            "erroneous_end_tag": "end",
        },
        spells=words("tag_name attribute_name"),
    ),
    Language(
        name="julia",
        module="tree_sitter_julia",
        extensions=("jl",),
        interpreters=("julia",),
        comments=("#", "#="),
        drops=words("using_statement import_statement export_statement"),
        merges=classes(string="command_literal prefixed_string_literal prefixed_command_literal"),
        spells=words("operator"),
    ),
    Language(
        name="lua",
        module="tree_sitter_lua",
        extensions=("lua",),
        interpreters=("lua", "luajit"),
        comments=("--", "--[["),
        drops=words("attribute"),
    ),
    Language(
        name="matlab",
        module="tree_sitter_matlab",
        extensions=("m", "matlab"),
        interpreters=("octave",),
        comments=("%", "%{"),
        drops=words("line_continuation"),
        keeps=frozenset("'@"),
    ),
    Language(
        name="mips",
        module="tree_sitter_mips",
        extensions=("s", "mips"),
        comments=("#",),
        merges={
            **classes(
                name="label macro_label numeric_label numeric_label_reference symbol",
                integer="decimal octal hexadecimal binary",
                character="char",
            ),
            "register": "register",
        },
        spells=words("instruction_mnemonic control_mnemonic"),
        trims=True,
    ),
    Language(
        name="objective-c",
        module="tree_sitter_objc",
        family="c",
        extensions=("mm",),
        drops=C_DROPS | words("module_import property_attributes_declaration protocol_qualifier"),
        opens=words("instance_variable"),
        preprocessed=True,
        macros=True,
    ),
    Language(
        name="ocaml",
        module="tree_sitter_ocaml",
        function="language_ocaml",
        extensions=("ml", "mll"),
        interpreters=("ocaml",),
        comments=("(*",),
        drops=_OCAML_DROPS,
        merges=_OCAML_MERGES,
        spells=_OCAML_SPELLS,
    ),
    Language(
        name="ocaml-interface",
        module="tree_sitter_ocaml",
        function="language_ocaml_interface",
        family="ocaml",
        extensions=("mli",),
        comments=("(*",),
        drops=_OCAML_DROPS,
        merges=_OCAML_MERGES,
        spells=_OCAML_SPELLS,
    ),
    Language(
        name="perl",
        module="tree_sitter_perl",
        extensions=("pl", "pm", "plx"),
        interpreters=("perl",),
        comments=("#",),
        drops=words("use_statement use_version_statement pod heredoc_token command_heredoc_token"),
        drops_bodiless=words("package_statement"),
        merges=classes(
            name="scalar array hash container_variable arraylen filehandle bareword method package varname",
            string="interpolated_string_literal command_string heredoc_content quoted_word_list",
            regex="match_regexp substitution_regexp quoted_regexp transliteration_expression",
        ),
        spells=words("function"),
        reserved=words("""
            abs bless chdir chmod chop die each eof exec exists exit index int join kill lstat mkdir open opendir pack
            pipe pop pos printf push rand read rename reverse rindex rmdir seek select shift sleep splice split sprintf
            sqrt srand stat substr system tell unlink unpack unshift wait wantarray warn write
        """),
        opens=words("identifier"),
    ),
    Language(
        name="powershell",
        module="tree_sitter_powershell",
        extensions=("ps1", "psm1", "psd1"),
        interpreters=("pwsh", "powershell"),
        comments=("#", "<#"),
        folds_case=True,
        drops=words("attribute_list class_attribute @( @{ $("),
        merges=classes(
            name="variable braced_variable function_name simple_name command_name type_literal generic_token",
        ),
    ),
    Language(
        name="scala",
        module="tree_sitter_scala",
        extensions=("scala", "sc", "sbt"),
        drops=words("import_declaration export_declaration modifiers annotation access_modifier"),
        drops_bodiless=words("package_clause"),
        merges=classes(float="floating_point_literal", string="interpolated_string"),
        spells=words("operator_identifier"),
    ),
    Language(
        name="sql",
        module="tree_sitter_sql",
        extensions=("sql", "ddl", "dml"),
        comments=("--", "/*"),
        folds_case=True,
        drops=words("marginalia"),
    ),
    Language(
        name="swift",
        module="tree_sitter_swift",
        extensions=("swift",),
        interpreters=("swift",),
        drops=words("import_declaration modifiers parameter_modifiers attribute multiline_comment shebang_line"),
        merges=classes(
            name="simple_identifier",
            integer="hex_literal bin_literal oct_literal",
            string="line_string_literal multi_line_string_literal",
            regex="regex_literal",
        ),
        spells=words("custom_operator"),
    ),
    Language(
        name="systemverilog",
        module="tree_sitter_systemverilog",
        family="verilog",
        extensions=("sv", "svh"),
        drops=_VERILOG_DROPS,
        merges=_VERILOG_MERGES,
        spells=words("system_tf_identifier"),
    ),
    Language(
        name="verilog",
        module="tree_sitter_systemverilog",
        extensions=("v", "vh"),
        drops=_VERILOG_DROPS,
        merges=_VERILOG_MERGES,
        spells=words("system_tf_identifier"),
    ),
    Language(
        name="vhdl",
        module="tree_sitter_vhdl",
        extensions=("vhd", "vhdl"),
        comments=("--",),
        folds_case=True,
        drops=words("library_clause use_clause context_reference"),
        merges=classes(
            name="""
                label library_namespace library_type library_function library_constant library_constant_boolean
                library_constant_debug library_constant_env library_constant_character
                library_constant_unit library_constant_standard library_attribute
            """,
            number="decimal_integer decimal_float based_integer based_float based_literal",
            bits="bit_string_literal string_literal_std_logic",
            character="library_constant_std_logic",
        ),
        opens=words("name"),
    ),
    Language(
        name="zig",
        module="tree_sitter_zig",
        extensions=("zig",),
        comments=("//",),
        drops=words("pub"),
        merges=classes(string="multiline_string"),
        spells=words("builtin_identifier builtin_type"),
    ),
)
