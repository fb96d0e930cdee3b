// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong with a command line in the words of the other messages. */
final class WrongUsage {
  private static final Set<Class<?>> WHOLE_NUMBERS =
      Set.of(int.class, Integer.class, long.class, Long.class);

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
    if (mistake instanceof OverwrittenOptionException repeated) {
      return name(repeated.getOverwritten()) + " is given more than once";
    }
    ArgSpec argument = mistake.getArgSpec();
    String value = mistake.getValue();
    return argument == null || value == null
        ? String.valueOf(mistake.getMessage())
        : wrongValue(argument, value, String.valueOf(mistake.getMessage()));
  }

  private static String wrongValue(ArgSpec argument, String value, String message) {
    String expected = expected(argument);
    return expected == null
        ? name(argument) + ": " + message.replaceFirst("^Invalid value for [^:]*: ", "")
        : name(argument) + " takes " + expected + ", not \"" + value + "\"";
  }

  /** Returns the value that an argument takes, or null if the message of its converter says it. */
  private static @Nullable String expected(ArgSpec argument) {
    Class<?> type = argument.type();
    if (argument.typeInfo().isMap()) {
      return argument.paramLabel();
    }
    if (argument.converters().length > 0) {
      return null;
    }
    if (argument.typeInfo().isBoolean()) {
      return "no value";
    }
    if (type == Double.class) {
      return "a number";
    }
    return WHOLE_NUMBERS.contains(type) ? "a whole number" : null;
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
