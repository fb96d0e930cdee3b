// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
 * Offsets and numbers against the headers of this machine: a program in C prints what those say of
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

  /** The structs, by what the names of their offsets begin with. */
  private static final Map<String, String> STRUCTS =
      Map.ofEntries(
          entry("INFO_", "fi_info"),
          entry("TX_ATTR_", "fi_tx_attr"),
          entry("RX_ATTR_", "fi_rx_attr"),
          entry("EP_ATTR_", "fi_ep_attr"),
          entry("DOMAIN_ATTR_", "fi_domain_attr"),
          entry("FABRIC_ATTR_", "fi_fabric_attr"),
          entry("AV_ATTR_", "fi_av_attr"),
          entry("CQ_ATTR_", "fi_cq_attr"),
          entry("EQ_ATTR_", "fi_eq_attr"),
          entry("MR_ATTR_", "fi_mr_attr"),
          entry("IOVEC_", "iovec"),
          entry("FID_DOMAIN_", "fid_domain"),
          entry("FID_MR_", "fid_mr"),
          entry("FID_EP_", "fid_ep"),
          entry("MSG_", "fi_msg"),
          entry("TAGGED_", "fi_msg_tagged"),
          entry("RMA_", "fi_msg_rma"),
          entry("RMA_IOV_", "fi_rma_iov"),
          entry("CQ_ENTRY_", "fi_cq_tagged_entry"),
          entry("CQ_ERROR_", "fi_cq_err_entry"),
          entry("CM_ENTRY_", "fi_eq_cm_entry"),
          entry("EQ_ERROR_", "fi_eq_err_entry"));

  /** The offsets that are of no single struct. */
  private static final Set<String> GENERAL = Set.of("ROOM", "FID_OPS", "OPS");

  /** The structs of objects that have functions of their kind. */
  private static final List<String> OBJECTS =
      List.of(
          "fid_fabric",
          "fid_domain",
          "fid_av",
          "fid_cq",
          "fid_cntr",
          "fid_ep",
          "fid_pep",
          "fid_eq");

  /** The members of 4 bytes; all others have 8. */
  private static final Set<String> INTS =
      Set.of(
          "fi_info addr_format",
          "fi_ep_attr type",
          "fi_ep_attr protocol",
          "fi_domain_attr threading",
          "fi_domain_attr data_progress",
          "fi_domain_attr av_type",
          "fi_domain_attr mr_mode",
          "fi_fabric_attr prov_version",
          "fi_av_attr type",
          "fi_cq_attr format",
          "fi_cq_attr wait_obj",
          "fi_eq_attr wait_obj",
          "fi_cq_err_entry err",
          "fi_cq_err_entry prov_errno",
          "fi_eq_err_entry err",
          "fi_eq_err_entry prov_errno");

  private static final long ENTRY_OF_EVENT = Offsets.CM_ENTRY_DATA;

  private static final Pattern WORD = Pattern.compile("\\bFI_[A-Z0-9_]+\\b");

  @TempDir private static Path directory;

  @BeforeAll
  static void needHeaders() throws Exception {
    CCompiler.need(directory);
  }

  /** Returns the struct and the member that an offset is of. */
  private static String member(String offset) {
    String prefix =
        STRUCTS.keySet().stream()
            .filter(offset::startsWith)
            .max(Comparator.comparingInt(String::length))
            .orElseThrow(() -> new AssertionError(offset));
    return STRUCTS.get(prefix) + " " + offset.substring(prefix.length()).toLowerCase(Locale.ROOT);
  }

  @Test
  @DisplayName("Each member of each struct is where the headers have it, and as long")
  void membersAreWhereTheHeadersHaveThem() throws Exception {
    Map<String, Long> ours = new LinkedHashMap<>();
    for (Field field : Offsets.class.getDeclaredFields()) {
      if (!GENERAL.contains(field.getName())) {
        ours.put(member(field.getName()), (long) field.get(null));
      }
    }
    for (NativeFunction each : NativeFunction.values()) {
      ours.put(each.table + " " + each.member(), each.offset);
      ours.put(each.table + " size", 0L);
    }
    // The data of the peer is behind the entry.
    assertThat(ours.remove("fi_eq_cm_entry data")).isEqualTo(ENTRY_OF_EVENT);
    for (String object : OBJECTS) {
      ours.put(object + " fid.ops", Offsets.FID_OPS);
      ours.put(object + " ops", Offsets.OPS);
    }
    ours.put("fid_pep cm", Offsets.FID_EP_CM);
    for (String message : List.of("fi_msg_tagged", "fi_msg_rma")) {
      ours.put(message + " msg_iov", Offsets.MSG_MSG_IOV);
      ours.put(message + " desc", Offsets.MSG_DESC);
      ours.put(message + " iov_count", Offsets.MSG_IOV_COUNT);
    }
    List<String> statements = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    ours.forEach((name, offset) -> {
      String[] words = name.split(" ");
      statements.add("OFFSET(struct %s, %s);".formatted(words[0], words[1]));
      expected.add("struct %s %s %s".formatted(name, offset, INTS.contains(name) ? 4 : 8));
    });

    List<String> said = print(statements);

    assertThat(said).hasSizeGreaterThan(140).containsExactlyElementsOf(expected);
  }

  @Test
  @DisplayName("There is room for what a version writes, and entries are as long as they are read")
  void sizes() throws Exception {
    Map<String, Long> most = new LinkedHashMap<>();
    for (String given :
        List.of("fi_av_attr", "fi_cq_attr", "fi_eq_attr", "fi_mr_attr", "fi_cq_err_entry")) {
      most.put(given, Offsets.ROOM);
    }
    // All that is built in 64 bytes before the pieces.
    for (String posted : List.of("fi_msg", "fi_msg_tagged", "fi_msg_rma")) {
      most.put(posted, 64L);
    }
    // One behind the other, without room between them.
    Map<String, Long> exact =
        Map.of(
            "fi_cq_tagged_entry", 48L,
            "fi_rma_iov", 24L,
            "fi_eq_cm_entry", ENTRY_OF_EVENT,
            "iovec", 16L);
    List<String> names =
        Stream.concat(most.keySet().stream(), exact.keySet().stream().sorted()).toList();

    List<String> said =
        print(names.stream().map(each -> "SIZE(struct %s);".formatted(each)).toList());

    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      long size = Long.parseLong(said.get(i).substring("struct %s ".formatted(name).length()));
      if (exact.containsKey(name)) {
        assertThat(size).as(name).isEqualTo(exact.get(name));
      } else {
        assertThat(size).as(name).isLessThanOrEqualTo(most.get(name));
      }
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
            "struct pollfd fd 0 4",
            "struct pollfd events 4 2",
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
