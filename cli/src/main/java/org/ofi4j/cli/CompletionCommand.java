// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Terminal;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;

/** {@code ofi4j completion}: prints a script that completes the command line in a shell. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = "Prints a script that completes commands and options of ofi4j.",
    footer = {
      "  source <(ofi4j completion)                          in this shell, bash or zsh",
      "  ofi4j completion > /etc/bash_completion.d/ofi4j     for everybody"
    })
final class CompletionCommand implements Callable<Integer> {
  private static final Pattern FILE = Pattern.compile("FILE|DIRECTORY");

  /**
   * A function of bash that calls the one of picocli with whole words. Its second argument is the
   * part of the last word that bash replaces. Picocli knows a semicolon only with a backslash.
   */
  private static final String WHOLE_WORDS =
      """

      if [ -n "$BASH_VERSION" ]; then
        # Bash ends words at colons and equals signs, and keeps an open quote in the last one.
        function _complete_ofi4j_words() {
          local words=() word last
          for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
            last=$((${#words[@]} - 1))
            if (( last >= 0 )) && [[ $word == :* || ${words[last]} == *: ]]; then
              words[last]+=$word
            elif [[ $word != = ]]; then
              words+=("$word")
            fi
          done
          [[ $word == = ]] && words+=("")
          local COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1))
          word=${words[COMP_CWORD]}
          if [[ $word == [\\'\\"]* ]]; then
            COMP_WORDS[COMP_CWORD]=${2//;/\\\\;}
            _complete_ofi4j
            COMPREPLY=("${COMPREPLY[@]//\\\\/}")
          else
            _complete_ofi4j
            COMPREPLY=("${COMPREPLY[@]#"${word%"$2"}"}")
          fi
        }
        complete -F _complete_ofi4j_words -o default ofi4j
      fi
      """;

  private final Terminal terminal;
  private final Supplier<CommandLine> complete;

  @Option(names = "--json", description = "Print the script as the only field of a JSON document.")
  private boolean json;

  /** The command; {@code complete} gives the command line with every command in full. */
  CompletionCommand(Terminal terminal, Supplier<CommandLine> complete) {
    this.terminal = terminal;
    this.complete = complete;
  }

  @Override
  public Integer call() {
    CommandLine all = complete.get();
    all.getSubcommands().entrySet().stream()
        .filter(entry -> entry.getValue().getCommandSpec().usageMessage().hidden())
        .map(java.util.Map.Entry::getKey)
        .toList()
        .forEach(all.getCommandSpec()::removeSubcommand);
    offerFiles(all);
    String script = AutoComplete.bash("ofi4j", all) + WHOLE_WORDS;
    if (json) {
      new JsonDocument(terminal.out())
          .writeStartObject()
          .writeStringProperty("script", script)
          .close();
    } else {
      terminal.out().print(script);
    }
    return ExitCode.OK;
  }

  /** Makes files of all arguments that are named so: a shell completes those of this type. */
  private static void offerFiles(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    for (OptionSpec option : List.copyOf(spec.options())) {
      if (FILE.matcher(option.paramLabel()).lookingAt()) {
        spec.remove(option);
        spec.add(
            OptionSpec.builder(option.names())
                .paramLabel(option.paramLabel())
                .arity("1")
                .type(Path.class)
                .build());
      }
    }
    for (PositionalParamSpec parameter : List.copyOf(spec.positionalParameters())) {
      if (FILE.matcher(parameter.paramLabel()).lookingAt()) {
        spec.remove(parameter);
        spec.add(
            PositionalParamSpec.builder()
                .paramLabel(parameter.paramLabel())
                .index(parameter.index())
                .arity(parameter.arity())
                .type(Path.class)
                .build());
      }
    }
    command.getSubcommands().values().forEach(CompletionCommand::offerFiles);
  }
}
