"""Completion where Click's own goes wrong. Imported only to complete a line or to print a script."""

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)


class JoinedBash(BashComplete):
    """Completion in bash, which passes ``--option=value`` as three words and replaces only the last one."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor and the one at it, with options and their values in one word."""
        before, incomplete = super().get_completion_args()
        words: list[str] = []
        for word in (*before, incomplete):
            option, equals, value = words[-1].partition("=") if words else ("", "", "")
            if option.startswith("--") and not value and (word == "=" or equals):
                words[-1] += word
            else:
                words.append(word)
        return words[:-1], words[-1]


class _WholeWords(ShellComplete):
    """Completes ``--option=value`` as a whole: these shells put a completion in the place of the whole word."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return the completions of a word; behind a long option and ``=``, each with these."""
        items = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if not option.startswith("--") or not equals:
            return items
        return [
            CompletionItem(item.value if item.type != "plain" else f"{option}={item.value}", item.type, item.help)
            for item in items
        ]


class WholeZsh(_WholeWords, ZshComplete):
    """Completion in zsh."""


class WholeFish(_WholeWords, FishComplete):
    """Completion in fish. A description may have commas: the first one alone ends the kind of a completion."""

    source_template = FishComplete.source_template.replace('string split ","', 'string split --max 1 ","')


def register() -> None:
    """Let Click use these classes."""
    add_completion_class(JoinedBash)
    add_completion_class(WholeZsh)
    add_completion_class(WholeFish)
