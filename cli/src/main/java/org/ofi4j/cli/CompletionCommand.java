// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Terminal;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
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
    String script = AutoComplete.bash("ofi4j", all);
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
}
