"""The programming languages, one row each: which grammar reads it, how its files are known, what is left out.

Rows are data. What a row says of a node kind holds for named nodes (``modifiers``) and for words of the grammar
(``static``) alike. What all languages have in common stands in ``plan``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from types import MappingProxyType

from whorl.errors import UnknownNameError

C_COMMENTS = ("//", "/*")


@dataclass(frozen=True, kw_only=True)
class Language:
    """A language. Those of one family share their symbols: a copy is found across them."""

    name: str
    module: str
    function: str = "language"
    family: str = ""
    extensions: tuple[str, ...]
    interpreters: tuple[str, ...] = ()
    comments: tuple[str, ...] = C_COMMENTS
    drops: frozenset[str] = frozenset()
    """Kinds that give no token, nor does anything inside them: imports, modifiers, annotations."""
    drops_bodiless: frozenset[str] = frozenset()
    """The same, unless code stands in their body: ``namespace a;`` goes, ``namespace a { ... }`` stays."""
    drops_lone: Mapping[str, str] = field(default_factory=dict)
    """Statements that go if they hold nothing but a node of this kind: a docstring."""
    keeps: frozenset[str] = frozenset()
    """What is punctuation elsewhere and an operator here."""
    merges: Mapping[str, str] = field(default_factory=dict)
    """Kinds that are one token with all that is in them, and its class."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "family", self.family or self.name)

    @property
    def distribution(self) -> str:
        """The package to install for the grammar."""
        return self.module.replace("_", "-")


def words(text: str) -> frozenset[str]:
    """The words of a text: a table that reads well."""
    return frozenset(text.split())


# C and C++ share these, so that a copy from one into the other has the same tokens.
_C_DROPS = words("""
    preproc_include storage_class_specifier type_qualifier attribute_specifier attribute_declaration
    alignas_qualifier ms_declspec_modifier ms_call_modifier ms_based_modifier ms_pointer_modifier
    __extension__ access_specifier virtual virtual_specifier explicit_function_specifier noexcept using_declaration
""")
_SCRIPT_DROPS = words("""
    import_statement import_alias decorator export export_clause namespace_export accessibility_modifier
    override_modifier static readonly abstract declare accessor jsx_text html_character_reference
""")

ROWS = (
    Language(
        name="c",
        module="tree_sitter_c",
        extensions=("c", "h"),
        drops=_C_DROPS,
    ),
    Language(
        name="cpp",
        module="tree_sitter_cpp",
        family="c",
        extensions=("cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "ino"),
        drops=_C_DROPS,
    ),
    Language(
        name="csharp",
        module="tree_sitter_c_sharp",
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
        extensions=("go",),
        drops=words("package_clause import_declaration"),
    ),
    Language(
        name="java",
        module="tree_sitter_java",
        extensions=("java",),
        drops=words("package_declaration import_declaration modifiers annotation marker_annotation dimensions"),
    ),
    Language(
        name="javascript",
        module="tree_sitter_javascript",
        extensions=("js", "jsx", "mjs", "cjs"),
        interpreters=("node", "nodejs", "bun"),
        drops=_SCRIPT_DROPS,
    ),
    Language(
        name="php",
        module="tree_sitter_php",
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
        extensions=("rb", "rake", "gemspec", "ru"),
        interpreters=("ruby", "jruby"),
        comments=("#",),
        drops=words("uninterpreted heredoc_beginning &. %w( %i("),
    ),
    Language(
        name="rust",
        module="tree_sitter_rust",
        extensions=("rs",),
        drops=words("""
            use_declaration extern_crate_declaration visibility_modifier function_modifiers attribute_item
            inner_attribute_item shebang # $ '
        """),
    ),
    Language(
        name="tsx",
        module="tree_sitter_typescript",
        function="language_tsx",
        family="javascript",
        extensions=("tsx",),
        drops=_SCRIPT_DROPS,
    ),
    Language(
        name="typescript",
        module="tree_sitter_typescript",
        function="language_typescript",
        family="javascript",
        extensions=("ts", "mts", "cts"),
        interpreters=("deno", "ts-node", "tsx"),
        drops=_SCRIPT_DROPS,
    ),
)

LANGUAGES: Mapping[str, Language] = MappingProxyType({row.name: row for row in ROWS})

_BY_EXTENSION = {extension: row.name for row in ROWS for extension in row.extensions}
_BY_INTERPRETER = {interpreter: row.name for row in ROWS for interpreter in row.interpreters}

# A header is C's by its name; one that begins a line with what only C++ can say is C++'s.
_CPP_HEADER = re.compile(
    rb"^[ \t]*(?:class\s+\w+[^;\n]*[{:]|namespace\s+\w|template\s*<|(?:public|private|protected)\s*:|using\s+\w)", re.M
)
_SHEBANG = re.compile(rb"#![ \t]*(?:\S*/env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*)?(?:\S*/)?([A-Za-z][A-Za-z_-]*)")


def language(name: str) -> Language:
    """The row of this name."""
    if name not in LANGUAGES:
        raise UnknownNameError("language", name, LANGUAGES)
    return LANGUAGES[name]


def detect(name: str, head: bytes) -> str | None:
    """The language of a file by its extension, else by the interpreter that its first line names; None if neither
    says it. ``head`` is the beginning of the file."""
    found = _BY_EXTENSION.get(_extension(name))
    if found == "c" and _extension(name) == "h" and _CPP_HEADER.search(head):
        return "cpp"
    if found is None and (shebang := _SHEBANG.match(head)):
        return _BY_INTERPRETER.get(shebang[1].decode("ascii").lower())
    return found


def installed(name: str) -> bool:
    """Whether the grammar of a language is at hand; without it the plain lexer reads the language."""
    return find_spec(language(name).module) is not None and find_spec("tree_sitter") is not None


def _extension(name: str) -> str:
    base = re.split(r"[/\\]", name)[-1]
    stem, dot, extension = base.rpartition(".")
    return extension.lower() if stem and dot else ""
