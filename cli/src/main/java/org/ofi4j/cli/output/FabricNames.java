// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Progress;
import org.ofi4j.Threading;
import org.ofi4j.VectorType;

/** The names that libfabric's headers and tools use, from and to the constants of the API. */
public final class FabricNames {
  /** A constant, or something in quotes, which is the user's and stays. */
  private static final Pattern CONSTANT =
      Pattern.compile("\"[^\"]*\"|\\b(?<!FI_)([A-Z][A-Z0-9_]+)\\b");

  private FabricNames() {}

  public static String of(Capability capability) {
    return switch (capability) {
      case RECEIVE -> "FI_RECV";
      case MULTI_RECEIVE -> "FI_MULTI_RECV";
      case TAGGED_DIRECTED_RECEIVE -> "FI_TAGGED_DIRECTED_RECV";
      case EXACT_DIRECTED_RECEIVE -> "FI_EXACT_DIRECTED_RECV";
      case NAMED_RECEIVE_CONTEXT -> "FI_NAMED_RX_CTX";
      case DIRECTED_RECEIVE -> "FI_DIRECTED_RECV";
      default -> "FI_" + capability.name();
    };
  }

  public static String of(EndpointType type) {
    return type == EndpointType.UNSPECIFIED ? "FI_EP_UNSPEC" : "FI_EP_" + type.name();
  }

  public static String of(VectorType type) {
    return type == VectorType.UNSPECIFIED ? "FI_AV_UNSPEC" : "FI_AV_" + type.name();
  }

  public static String of(Progress progress) {
    return "FI_PROGRESS_" + (progress == Progress.UNSPECIFIED ? "UNSPEC" : progress.name());
  }

  public static String of(Threading threading) {
    return "FI_THREAD_" + (threading == Threading.UNSPECIFIED ? "UNSPEC" : threading.name());
  }

  public static String of(AddressFormat format) {
    return switch (format) {
      case UNSPECIFIED -> "FI_FORMAT_UNSPEC";
      case SOCKADDR, SOCKADDR_IN, SOCKADDR_IN6, SOCKADDR_IB, SOCKADDR_IP -> "FI_" + format.name();
      default -> "FI_ADDR_" + format.name();
    };
  }

  /** Returns the short word for a type that {@link #endpointType} takes, such as {@code dgram}. */
  public static String word(EndpointType type) {
    return type.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the short word for a format that {@link #format} takes, such as {@code in}. */
  public static String word(AddressFormat format) {
    return format.name().replaceFirst("^SOCKADDR_", "").toLowerCase(Locale.ROOT);
  }

  /** The names of all bits that are set. */
  public static List<String> capabilities(long caps) {
    return Arrays.stream(Capability.values())
        .filter(capability -> (caps & capability.mask()) != 0)
        .map(FabricNames::of)
        .toList();
  }

  /** The bits of a list such as {@code FI_MSG|FI_SOURCE} or {@code msg,source}. */
  public static Capability[] capabilities(String list) {
    return Arrays.stream(list.split("[|,]", -1))
        .map(FabricNames::capability)
        .toArray(Capability[]::new);
  }

  private static Capability capability(String word) {
    String wanted = normal(word);
    return first(
            Capability.values(),
            each -> wanted.equals(normal(of(each))) || wanted.equals(each.name()))
        .orElseThrow(
            () -> unknown("capability", word, "msg, tagged, source, source_err, av_user_id …"));
  }

  /** The format of a word such as {@code FI_SOCKADDR_IN}, {@code sockaddr_in} or {@code in}. */
  public static AddressFormat format(String word) {
    String wanted = normal(word).replaceFirst("^ADDR_", "");
    if (wanted.equals("FORMAT_UNSPEC")) {
      return AddressFormat.UNSPECIFIED;
    }
    return first(
            AddressFormat.values(),
            each -> each.name().equals(wanted) || each.name().equals("SOCKADDR_" + wanted))
        .orElseThrow(() -> unknown("address format", word, "sockaddr, in, in6, ip, str …"));
  }

  /** The type of a word such as {@code FI_EP_DGRAM} or {@code dgram}. */
  public static EndpointType endpointType(String word) {
    String wanted = normal(word).replaceFirst("^EP_", "");
    return first(EndpointType.values(), each -> each.name().equals(wanted))
        .orElseThrow(() -> unknown("endpoint type", word, "msg, dgram, rdm"));
  }

  /** A provider's name in its own spelling, whatever case was typed; unknown ones stay. */
  public static @Nullable String provider(@Nullable String name) {
    return name == null
        ? null
        : InstalledProviders.all().stream()
            .flatMap(provider -> provider.names().stream())
            .filter(known -> known.equalsIgnoreCase(name))
            .findFirst()
            .orElse(name);
  }

  /** Why a provider refuses, with the names that the command line takes instead of the API's. */
  public static String spelt(String reason) {
    Matcher constants = CONSTANT.matcher(reason);
    return constants.replaceAll(constant -> Matcher.quoteReplacement(spelt(constant, reason)));
  }

  private static String spelt(MatchResult constant, String reason) {
    String name = constant.group(1);
    if (name == null) {
      return constant.group();
    }
    if (reason.contains("endpoint type ")) {
      return found(EndpointType.values(), FabricNames::of, name);
    }
    if (reason.contains("address format ")) {
      return found(AddressFormat.values(), FabricNames::of, name);
    }
    return reason.contains("capabilit") ? found(Capability.values(), FabricNames::of, name) : name;
  }

  private static <E extends Enum<E>> String found(
      E[] constants, Function<E, String> spelling, String name) {
    return first(constants, each -> each.name().equals(name)).map(spelling).orElse(name);
  }

  private static <E> Optional<E> first(E[] constants, Predicate<E> wanted) {
    return Arrays.stream(constants).filter(wanted).findFirst();
  }

  private static String normal(String word) {
    return word.strip().toUpperCase(Locale.ROOT).replaceFirst("^FI_", "");
  }

  private static CommandException unknown(String kind, String word, String known) {
    return new CommandException(
        ExitCode.USAGE, "\"" + word + "\" is no " + kind + ": use one of " + known);
  }
}
