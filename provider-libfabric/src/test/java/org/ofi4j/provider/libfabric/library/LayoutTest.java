// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Access;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.CompletionFlag;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.libfabric.CCompiler;

/**
 * Layouts and numbers against the headers of this machine: a program in C prints what those say of
 * everything that is used here.
 */
class LayoutTest {
  /** Came after 1.17, the oldest version that is used; others have to be in the headers. */
  private static final Set<String> NEWER =
      Set.of(
          // No mode of libfabric's.
          "FI_MR_UNPROTECTED",
          "FI_ADDR_UCX",
          "FI_SOCKADDR_IP",
          "FI_AUTH_KEY",
          "FI_TAGGED_DIRECTED_RECV",
          "FI_EXACT_DIRECTED_RECV",
          "FI_PROGRESS_CONTROL_UNIFIED");

  private static final Pattern WORD = Pattern.compile("\\bFI_[A-Z0-9_]+\\b");

  @TempDir private static Path directory;

  @BeforeAll
  static void needHeaders() throws Exception {
    CCompiler.need(directory);
  }

  private static List<StructLayout> layouts() {
    return Stream.of(
            InfoStructs.ALL,
            AttributeStructs.ALL,
            ObjectStructs.ALL,
            TransferStructs.ALL,
            EventStructs.ALL)
        .flatMap(List::stream)
        .toList();
  }

  @Test
  @DisplayName("Each member of each struct is where the headers have it, and as long")
  void membersAreWhereTheHeadersHaveThem() throws Exception {
    List<String> statements = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (StructLayout layout : layouts()) {
      String struct = "struct " + layout.name().orElseThrow();
      long offset = 0;
      for (MemoryLayout member : layout.memberLayouts()) {
        String name = member.name().orElse(null);
        if (name != null) {
          statements.add("OFFSET(%s, %s);".formatted(struct, name));
          expected.add("%s %s %s %s".formatted(struct, name, offset, member.byteSize()));
        }
        offset += member.byteSize();
      }
    }

    List<String> said = print(statements);

    assertThat(said).hasSizeGreaterThan(200).containsExactlyElementsOf(expected);
  }

  @Test
  @DisplayName("There is room for what a version writes, and entries are as long as they are read")
  void sizes() throws Exception {
    List<String> statements =
        layouts().stream()
            .map(each -> "SIZE(struct %s);".formatted(each.name().orElseThrow()))
            .toList();
    Map<String, Long> sizes = new HashMap<>();
    for (String line : print(statements)) {
      int space = line.lastIndexOf(' ');
      sizes.put(
          line.substring("struct ".length(), space), Long.parseLong(line.substring(space + 1)));
    }

    for (StructLayout each : layouts()) {
      assertThat(sizes.get(each.name().orElseThrow()))
          .as("%s", each)
          .isGreaterThanOrEqualTo(each.byteSize());
    }
    for (String given :
        List.of("fi_av_attr", "fi_cq_attr", "fi_eq_attr", "fi_mr_attr", "fi_cq_err_entry")) {
      assertThat(sizes.get(given)).as(given).isLessThanOrEqualTo(AttributeStructs.ROOM);
    }
    // One behind the other, without room between them.
    for (StructLayout each :
        List.of(
            TransferStructs.Entry.LAYOUT,
            TransferStructs.RemotePiece.LAYOUT,
            // Behind it is what the peer has given.
            EventStructs.ConnectionEntry.LAYOUT,
            AttributeStructs.MemoryPiece.LAYOUT)) {
      assertThat(sizes.get(each.name().orElseThrow())).as("%s", each).isEqualTo(each.byteSize());
    }
    // All that is built in 64 bytes before the pieces.
    for (String posted : List.of("fi_msg", "fi_msg_tagged", "fi_msg_rma")) {
      assertThat(sizes.get(posted)).as(posted).isLessThanOrEqualTo(64);
    }
  }

  @Test
  @DisplayName("The numbers that are passed on are those of the headers")
  void numbers() throws Exception {
    Map<String, Long> ours = new LinkedHashMap<>();
    addConstants(ours);
    addEnumerations(ours);
    Set<String> known = known();
    Set<String> absent = new TreeSet<>();
    List<String> statements = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    ours.forEach((name, number) -> {
      if (known.contains(name.replaceFirst("^-", ""))) {
        statements.add("VALUE(%s);".formatted(name));
        expected.add(name + " " + number);
      } else {
        absent.add(name);
      }
    });

    assertThat(NEWER).as("what the headers do not have").containsAll(absent);
    assertThat(print(statements)).hasSizeGreaterThan(80).containsExactlyElementsOf(expected);
  }

  /** Every constant, so that a new one is compared too. */
  private static void addConstants(Map<String, Long> numbers) throws Exception {
    for (Field field : Constants.class.getDeclaredFields()) {
      long value = ((Number) field.get(null)).longValue();
      switch (field.getName()) {
        case "ANY" -> {
          numbers.put("FI_ADDR_UNSPEC", value);
          numbers.put("FI_ADDR_NOTAVAIL", value);
        }
        case "TRY_AGAIN" -> numbers.put("-FI_EAGAIN", value);
        case "ERROR_AVAILABLE" -> numbers.put("-FI_EAVAIL", value);
        case "NUMERIC_HOST" -> numbers.put("FI_NUMERICHOST", value);
        default -> numbers.put("FI_" + field.getName(), value);
      }
    }
  }

  private static void addEnumerations(Map<String, Long> numbers) {
    for (Capability each : Capability.values()) {
      put(numbers, each == Capability.NAMED_RECEIVE_CONTEXT ? "NAMED_RX_CTX" : each.name(), each);
    }
    for (TransferFlag each : TransferFlag.values()) {
      put(numbers, each.name(), each);
    }
    for (CompletionFlag each : CompletionFlag.values()) {
      put(numbers, each.name(), each);
    }
    for (Access each : Access.values()) {
      put(numbers, each.name(), each);
    }
    for (MemoryRegionMode each : MemoryRegionMode.values()) {
      String name =
          switch (each) {
            case VIRTUAL_ADDRESS -> "VIRT_ADDR";
            case PROVIDER_KEY -> "PROV_KEY";
            default -> each.name();
          };
      put(numbers, "MR_" + name, each);
    }
    for (AddressFormat each : AddressFormat.values()) {
      String name =
          switch (each) {
            case UNSPECIFIED -> "FORMAT_UNSPEC";
            case SOCKADDR, SOCKADDR_IN, SOCKADDR_IN6, SOCKADDR_IB, SOCKADDR_IP -> each.name();
            default -> "ADDR_" + each.name();
          };
      numbers.put("FI_" + name, (long) each.number());
    }
    for (EndpointType each : EndpointType.values()) {
      String name = each == EndpointType.UNSPECIFIED ? "UNSPEC" : each.name();
      numbers.put("FI_EP_" + name, (long) each.number());
    }
    // What completions and calls are asked about.
    for (Errno each :
        List.of(
            Errno.EAGAIN,
            Errno.ECANCELED,
            Errno.ETRUNC,
            Errno.ENODATA,
            Errno.ENOSYS,
            Errno.EADDRNOTAVAIL,
            Errno.EINVAL)) {
      numbers.put("FI_" + each.name(), (long) each.number());
    }
  }

  private static void put(Map<String, Long> numbers, String name, Flag flag) {
    String inC = "FI_" + name.replaceFirst("RECEIVE$", "RECV");
    Long before = numbers.put(inC, flag.mask());
    assertThat(before == null || before == flag.mask()).as(inC).isTrue();
  }

  /** All names that the headers have, as macros or not. */
  private static Set<String> known() throws Exception {
    Set<String> known = new TreeSet<>();
    Files.writeString(directory.resolve("names.c"), "#include \"layout-prelude.h\"\n");
    for (String option : List.of("-P", "-dM")) {
      String complaint =
          CCompiler.run(
              directory,
              "gcc",
              "-E",
              option,
              "-I" + CCompiler.SOURCES.toAbsolutePath(),
              "-o",
              "names.i",
              "names.c");
      assertThat(complaint).isEmpty();
      Matcher words = WORD.matcher(Files.readString(directory.resolve("names.i")));
      while (words.find()) {
        known.add(words.group());
      }
    }
    return known;
  }

  @Test
  @DisplayName("What is used of the C library has its numbers and sizes")
  void numbersOfTheCLibrary() throws Exception {
    List<String> said =
        print(
            "#include <dlfcn.h>\n"
                + "#include <poll.h>\n"
                + "#include <signal.h>\n"
                + "#include <sys/eventfd.h>\n"
                + "#include <sys/mman.h>\n",
            List.of(
                "VALUE(RTLD_NOW);",
                "VALUE(EFD_CLOEXEC | EFD_NONBLOCK);",
                "VALUE(MFD_CLOEXEC);",
                "VALUE(PROT_NONE);",
                "VALUE(PROT_READ | PROT_WRITE);",
                "VALUE(MAP_SHARED | MAP_FIXED);",
                "VALUE(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);",
                "VALUE(POLLIN);",
                "SIZE(struct pollfd);",
                "OFFSET(struct pollfd, fd);",
                "OFFSET(struct pollfd, events);",
                "OFFSET(struct sigaction, sa_handler);",
                "VALUE(sizeof(struct sigaction) <= %s);".formatted(SignalHandlers.ACTION),
                "VALUE(SIGSYS);"));

    assertThat(said)
        .containsExactly(
            "RTLD_NOW " + CLibrary.RTLD_NOW,
            "EFD_CLOEXEC | EFD_NONBLOCK " + CLibrary.EFD_CLOEXEC_NONBLOCK,
            "MFD_CLOEXEC " + CLibrary.MFD_CLOEXEC,
            "PROT_NONE " + CLibrary.PROT_NONE,
            "PROT_READ | PROT_WRITE " + CLibrary.PROT_READ_WRITE,
            "MAP_SHARED | MAP_FIXED " + CLibrary.MAP_SHARED_FIXED,
            "MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE " + CLibrary.MAP_RESERVED,
            "POLLIN " + Descriptors.POLLIN,
            "struct pollfd " + Descriptors.SIZE,
            "struct pollfd fd " + AttributeStructs.PollDescriptor.FD + " 4",
            "struct pollfd events " + (AttributeStructs.PollDescriptor.FD + Integer.BYTES) + " 2",
            "struct sigaction sa_handler 0 8",
            "sizeof(struct sigaction) <= %s 1".formatted(SignalHandlers.ACTION),
            "SIGSYS " + SignalHandlers.SIGNALS);
  }

  private static List<String> print(List<String> statements) throws Exception {
    return print("", statements);
  }

  /** What a program with these statements prints. */
  private static List<String> print(String includes, List<String> statements) throws Exception {
    Files.writeString(
        directory.resolve("layout.c"),
        "#define _GNU_SOURCE\n#include \"layout-prelude.h\"\n"
            + includes
            + "int main(void)\n{\n\t"
            + String.join("\n\t", statements)
            + "\n\treturn 0;\n}\n");
    // The oldest names are deprecated, and compared all the same.
    CCompiler.compile(
        directory,
        "layout",
        "-Wno-deprecated-declarations",
        "-I" + CCompiler.SOURCES.toAbsolutePath(),
        "layout.c");
    assertThat(CCompiler.run(directory, directory.resolve("layout").toString())).isEmpty();
    return Files.readAllLines(directory.resolve("out"));
  }
}
