// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.ofi4j.Printable;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.Folding;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;

/** Puts the commands together and says what becomes of mistakes. */
final class CommandLines {
  /** The most columns of help, as wider text is hard to read. */
  private static final int WIDEST = 120;

  /** The only section of help, with those of picocli in it. */
  private static final String WHOLE = "whole";

  /** More columns than any help has: picocli breaks no lines. */
  private static final int UNBROKEN = 4096;

  private CommandLines() {}

  /** The command line for these arguments: commands that they do not name are mere entries. */
  static CommandLine of(Terminal terminal, String... args) {
    return build(terminal, Arrays.asList(args));
  }

  /** The command line with every command in full. */
  static CommandLine complete(Terminal terminal) {
    return build(terminal, Subcommand.all());
  }

  private static CommandLine build(Terminal terminal, List<String> wanted) {
    CommandLine root = new CommandLine(new RootCommand(terminal));
    for (Subcommand subcommand : Subcommand.values()) {
      CommandSpec spec;
      if (wanted.contains(subcommand.text())) {
        spec =
            CommandSpec.forAnnotatedObject(
                subcommand.create(terminal, words -> build(terminal, words)));
        layOut(spec.usageMessage(), subcommand.needsProvider());
        subcommand
            .children(terminal)
            .forEach((name, child) -> {
              CommandSpec its = CommandSpec.forAnnotatedObject(child);
              layOut(its.usageMessage(), subcommand.needsProvider());
              spec.addSubcommand(name, its);
            });
      } else {
        spec = CommandSpec.create();
      }
      String summary = subcommand.summary();
      if (summary == null) {
        spec.usageMessage().hidden(true);
      } else {
        spec.usageMessage().header(summary, "");
      }
      root.addSubcommand(subcommand.text(), spec);
    }
    layOut(root.getCommandSpec().usageMessage(), true);
    return configure(root, terminal);
  }

  private static CommandLine configure(CommandLine root, Terminal terminal) {
    root.setOut(terminal.out());
    root.setErr(terminal.err());
    root.setColorScheme(Help.defaultColorScheme(terminal.ansi()));
    fold(root, Math.min(terminal.outColumns(), WIDEST));
    root.setCaseInsensitiveEnumValuesAllowed(true);
    root.setAbbreviatedOptionsAllowed(false);
    // A word that begins with @ is a word like any other, such as the name of a file.
    root.setExpandAtFiles(false);
    root.setParameterExceptionHandler(
        (mistake, args) -> wrongUsage(mistake, new Failed(terminal, Arrays.asList(args))));
    root.setExecutionExceptionHandler((failure, commandLine, parsed) ->
        failed(failure, commandLine, new Failed(terminal, parsed.originalArgs())));
    return root;
  }

  /** Folds the help of all commands, of which picocli makes none that has less than 55 columns. */
  private static void fold(CommandLine root, int columns) {
    List<String> keys = root.getHelpSectionKeys();
    Map<String, IHelpSectionRenderer> sections = root.getHelpSectionMap();
    root.setUsageHelpWidth(UNBROKEN);
    root.setUsageHelpAutoWidth(false);
    root.setHelpSectionMap(
        Map.of(
            WHOLE,
            help -> {
              String text =
                  keys.stream()
                      .map(sections::get)
                      .filter(Objects::nonNull)
                      .map(section -> section.render(help))
                      .collect(Collectors.joining());
              return Folding.text(text, columns);
            }));
    root.setHelpSectionKeys(List.of(WHOLE));
  }

  /** What the help of every command has, but for those that are not for people. */
  private static void layOut(UsageMessageSpec usage, boolean needsProvider) {
    if (!usage.hidden()) {
      usage
          .descriptionHeading(usage.description().length == 0 ? "" : "%n")
          .parameterListHeading("%nParameters:%n")
          .optionListHeading("%nOptions:%n")
          .commandListHeading("%nCommands:%n")
          .footerHeading("%nExamples:%n");
    }
    describeExitCodes(usage, needsProvider);
  }

  private static void describeExitCodes(UsageMessageSpec usage, boolean needsProvider) {
    Map<String, String> codes = new LinkedHashMap<>();
    codes.put("  " + ExitCode.OK, "all went well");
    codes.put("  " + ExitCode.FAILED, "something was not as it should be");
    codes.put("  " + ExitCode.USAGE, "the command line was wrong");
    if (needsProvider) {
      codes.put(" " + ExitCode.NOTHING_FITS, "no provider meets the hints");
    }
    codes.put(" " + ExitCode.UNAVAILABLE, "something that is needed is not there, such as a JDK");
    codes.put(" " + ExitCode.INTERNAL, "a mistake in ofi4j itself, or its build failed");
    codes.put(" " + ExitCode.BUSY, "another build of ofi4j did not end within 10 minutes");
    codes.put(String.valueOf(ExitCode.HUNG_UP), "the terminal was closed (SIGHUP)");
    codes.put(String.valueOf(ExitCode.INTERRUPTED), "interrupted with Ctrl-C (SIGINT)");
    codes.put(String.valueOf(ExitCode.TERMINATED), "terminated (SIGTERM)");
    usage.exitCodeListHeading("%nExit status:%n").exitCodeList(codes);
  }

  /** Ends commands that fail; a program that asked for JSON gets a document in any case. */
  private record Failed(Terminal terminal, List<String> args) {
    void say(String command, String sentence) {
      if (args.contains("--json") && !terminal.hasOutput()) {
        new JsonDocument(terminal.out())
            .writeStartObject()
            .writeStringProperty("error", sentence)
            .close();
      }
      terminal.out().flush();
      terminal.err().println(command + ": " + Printable.lines(sentence));
    }
  }

  private static int wrongUsage(ParameterException mistake, Failed failed) {
    CommandLine commandLine = mistake.getCommandLine();
    String name = commandLine.getCommandSpec().qualifiedName();
    failed.say(name, WrongUsage.sentence(mistake));
    commandLine.getErr().println("Try '" + name + " --help'.");
    return ExitCode.USAGE;
  }

  /** Failures are sentences; only what nobody foresaw shows where it comes from. */
  private static int failed(Exception failure, CommandLine commandLine, Failed failed) {
    String name = commandLine.getCommandSpec().qualifiedName();
    if (failure instanceof ParameterException mistake) {
      return wrongUsage(mistake, failed);
    }
    if (failure instanceof CommandException ending) {
      failed.say(
          name,
          ending.exitCode() == ExitCode.NOTHING_FITS
              ? ending.sentence().lines().map(FabricNames::spelt).collect(Collectors.joining("\n"))
              : ending.sentence());
      return ending.exitCode();
    }
    String sentence = Failures.sentence(failure);
    if (sentence != null) {
      failed.say(name, sentence);
      return ExitCode.FAILED;
    }
    failed.say(name, "this is a mistake in ofi4j, please report it: " + failure);
    failure.printStackTrace(commandLine.getErr());
    return ExitCode.INTERNAL;
  }
}
