// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong with a command line in the words of the other messages. */
final class WrongUsage {
  private static final int CLOSE = 2;

  private WrongUsage() {}

  static String sentence(ParameterException mistake) {
    CommandLine commandLine = mistake.getCommandLine();
    if (mistake instanceof UnmatchedArgumentException unmatched) {
      return unmatched(commandLine, unmatched.getUnmatched().getFirst());
    }
    if (mistake instanceof MissingParameterException missing) {
      ArgSpec argument = missing.getMissing().getFirst();
      return argument.isPositional()
          ? name(argument) + " is missing: " + choices(argument)
          : name(argument) + " needs a value: " + argument.paramLabel();
    }
    ArgSpec argument = mistake.getArgSpec();
    String message = String.valueOf(mistake.getMessage());
    if (argument != null && mistake.getValue() != null) {
      return argument.type() == int.class
          ? name(argument) + " takes a whole number, not \"" + mistake.getValue() + "\""
          : name(argument) + ": " + message.replaceFirst("^Invalid value for [^:]*: ", "");
    }
    return message;
  }

  private static String unmatched(CommandLine commandLine, String word) {
    if (word.startsWith("-")) {
      List<String> names =
          commandLine.getCommandSpec().options().stream()
              .flatMap(option -> List.of(option.names()).stream())
              .filter(name -> name.startsWith("--"))
              .toList();
      return "there is no option \"" + word + "\"" + suggestion(word, names);
    }
    if (commandLine.getParent() == null) {
      List<String> names = new ArrayList<>();
      commandLine
          .getSubcommands()
          .forEach((name, command) -> {
            if (!command.getCommandSpec().usageMessage().hidden()) {
              names.add(name);
            }
          });
      return "there is no command \"" + word + "\"" + suggestion(word, names);
    }
    return "\"" + word + "\" is one argument too many";
  }

  /** The words to choose from, or what the argument is. */
  private static String choices(ArgSpec argument) {
    Object[] constants = argument.type().getEnumConstants();
    if (constants != null) {
      String words = Arrays.stream(constants).map(String::valueOf).collect(joining(", "));
      return words.replaceFirst(", ([^,]*)$", " or $1");
    }
    String description = String.join(" ", argument.description());
    return description.substring(0, 1).toLowerCase(Locale.ROOT)
        + description.substring(1).replaceFirst("[.]$", "");
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }

  /** Names only what the word may well be a slip of. */
  private static String suggestion(String word, List<String> names) {
    List<String> close =
        names.stream()
            .filter(name ->
                (word.length() > 1 && name.startsWith(word))
                    || distance(word, name) <= Math.min(CLOSE, name.length() / 2))
            .toList();
    return close.isEmpty() ? "" : ". Did you mean " + String.join(" or ", close) + "?";
  }

  /** How many characters have to be put in, left out or replaced (Levenshtein). */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
