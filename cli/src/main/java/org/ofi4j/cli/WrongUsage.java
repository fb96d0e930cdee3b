// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static java.util.stream.Collectors.joining;

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
  private WrongUsage() {}

  static String sentence(ParameterException mistake) {
    CommandLine commandLine = mistake.getCommandLine();
    if (mistake instanceof UnmatchedArgumentException unmatched) {
      return unmatched(commandLine, unmatched);
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

  private static String unmatched(CommandLine commandLine, UnmatchedArgumentException mistake) {
    String word = mistake.getUnmatched().getFirst();
    List<String> similar = mistake.getSuggestions();
    if (word.startsWith("-")) {
      return "there is no option \"" + word + "\"" + suggestion(similar);
    }
    boolean isOnlyForCommands =
        !commandLine.getSubcommands().isEmpty()
            && commandLine.getCommandSpec().positionalParameters().isEmpty();
    if (isOnlyForCommands) {
      // The most similar comes first; of so few commands the others are not similar at all.
      return "there is no command \"%s\"%s"
          .formatted(word, suggestion(similar.stream().limit(1).toList()));
    }
    return "\"" + word + "\" is one argument too many";
  }

  private static String suggestion(List<String> similar) {
    return similar.isEmpty() ? "" : ". Did you mean " + String.join(" or ", similar) + "?";
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
}
