// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every number of this package against the libfabric headers and library of this machine. */
@Tag("AV-209")
class HeaderNumbersTest {
  private static final String HEADER = "rdma/fabric.h";
  private static final String INCLUDES =
      """
      #include <netinet/in.h>
      #include <rdma/fabric.h>
      #include <rdma/fi_cm.h>
      #include <rdma/fi_domain.h>
      #include <rdma/fi_endpoint.h>
      #include <rdma/fi_eq.h>
      #include <rdma/fi_errno.h>
      #include <rdma/fi_tagged.h>
      #include <stddef.h>
      #include <stdio.h>
      """;

  /** Came after 1.17, the oldest release that this test is meant for. */
  private static final Set<String> NEWER =
      Set.of(
          "FI_ADDR_UCX",
          "FI_SOCKADDR_IP",
          "FI_EPROTO",
          "FI_ENOMR",
          "FI_EFIREWALLADDR",
          "FI_FIREWALL_ADDR",
          "FI_AUTH_KEY",
          "FI_TAGGED_DIRECTED_RECV",
          "FI_EXACT_DIRECTED_RECV");

  private static final Pattern WORD = Pattern.compile("\\bFI_[A-Z0-9_]+\\b");

  private static Map<String, Long> numbers() {
    Map<String, Long> numbers = new LinkedHashMap<>();
    for (Errno errno : Errno.values()) {
      numbers.put("FI_" + errno.name(), (long) errno.number());
    }
    for (AddressFormat format : AddressFormat.values()) {
      String name =
          switch (format) {
            case UNSPECIFIED -> "FI_FORMAT_UNSPEC";
            case SOCKADDR, SOCKADDR_IN, SOCKADDR_IN6, SOCKADDR_IB, SOCKADDR_IP ->
                "FI_" + format.name();
            default -> "FI_ADDR_" + format.name();
          };
      numbers.put(name, (long) format.number());
    }
    addEnumerations(numbers);
    addFlags(numbers);
    numbers.put("FI_ADDR_NOTAVAIL", Handles.NOT_AVAILABLE);
    numbers.put("FI_ADDR_UNSPEC", Handles.UNSPECIFIED);
    numbers.put("FI_KEY_NOTAVAIL", Handles.KEY_NOT_AVAILABLE);
    numbers.put("FI_AV_COMPLETE", (long) Event.InsertionComplete.CODE);
    numbers.put("FI_CONNREQ", (long) Event.ConnectionRequest.CODE);
    numbers.put("FI_CONNECTED", (long) Event.Connected.CODE);
    numbers.put("FI_SHUTDOWN", (long) Event.Shutdown.CODE);
    return numbers;
  }

  private static void addEnumerations(Map<String, Long> numbers) {
    for (VectorType type : VectorType.values()) {
      numbers.put("FI_AV_" + unspecified(type.name()), (long) type.number());
    }
    for (EndpointType type : EndpointType.values()) {
      numbers.put("FI_EP_" + unspecified(type.name()), (long) type.number());
    }
    for (Progress progress : Progress.values()) {
      numbers.put("FI_PROGRESS_" + unspecified(progress.name()), (long) progress.number());
    }
    for (Threading threading : Threading.values()) {
      numbers.put("FI_THREAD_" + unspecified(threading.name()), (long) threading.number());
    }
    for (CompletionFormat format : CompletionFormat.values()) {
      numbers.put("FI_CQ_FORMAT_" + unspecified(format.name()), (long) format.number());
    }
  }

  private static String unspecified(String name) {
    return name.equals("UNSPECIFIED") ? "UNSPEC" : name;
  }

  @SuppressWarnings("deprecation")
  private static void addFlags(Map<String, Long> numbers) {
    for (VectorFlag flag : VectorFlag.values()) {
      String name =
          switch (flag) {
            case READ -> "FI_READ";
            case EVENT -> "FI_EVENT";
            case USER_ID -> "FI_AV_USER_ID";
            case SYMMETRIC -> "FI_SYMMETRIC";
          };
      put(numbers, name, flag);
    }
    for (InsertFlag flag : InsertFlag.values()) {
      String name =
          switch (flag) {
            case MORE -> "FI_MORE";
            case USER_ID -> "FI_AV_USER_ID";
            case FIREWALL_ADDRESS -> "FI_FIREWALL_ADDR";
            case AUTH_KEY -> "FI_AUTH_KEY";
            case SYNC_ERR -> "FI_SYNC_ERR";
          };
      put(numbers, name, flag);
    }
    put(numbers, "FI_AUTH_KEY", RemoveFlag.AUTH_KEY);
    for (CounterFlag flag : CounterFlag.values()) {
      put(numbers, received("FI_" + flag.name()), flag);
    }
    for (TransferFlag flag : TransferFlag.values()) {
      put(numbers, received("FI_" + flag.name()), flag);
    }
    for (CompletionFlag flag : CompletionFlag.values()) {
      put(numbers, received("FI_" + flag.name()), flag);
    }
    for (Access flag : Access.values()) {
      put(numbers, received("FI_" + flag.name()), flag);
    }
    // A mode of ofi4j that libfabric does not have.
    Set<MemoryRegionMode> theirModes =
        EnumSet.complementOf(EnumSet.of(MemoryRegionMode.UNPROTECTED));
    for (MemoryRegionMode mode : theirModes) {
      String name =
          switch (mode) {
            case VIRTUAL_ADDRESS -> "VIRT_ADDR";
            case PROVIDER_KEY -> "PROV_KEY";
            default -> mode.name();
          };
      put(numbers, "FI_MR_" + name, mode);
    }
    for (Capability capability : Capability.values()) {
      String name =
          switch (capability) {
            case NAMED_RECEIVE_CONTEXT -> "NAMED_RX_CTX";
            default -> received(capability.name());
          };
      put(numbers, "FI_" + name, capability);
    }
  }

  private static String received(String name) {
    return name.replaceFirst("RECEIVE$", "RECV");
  }

  private static void put(Map<String, Long> numbers, String name, Flag flag) {
    Long before = numbers.put(name, flag.mask());
    assertThat(before == null || before == flag.mask()).as(name).isTrue();
  }

  @Test
  @DisplayName("AV-209: errors, formats, types, flags and capabilities have the header's numbers")
  void numbersOfTheHeaders(@TempDir Path directory) throws IOException, InterruptedException {
    CProgram program = new CProgram(directory);
    program.need(HEADER);
    Map<String, Long> ours = numbers();
    Set<String> known = new TreeSet<>();
    collect(known, program.preprocessed(INCLUDES));
    collect(known, program.preprocessed(INCLUDES, "-dM"));
    Set<String> absent = new TreeSet<>(ours.keySet());
    absent.removeAll(known);
    assertThat(NEWER).as("constants that the headers do not know").containsAll(absent);

    String prints =
        ours.keySet().stream()
            .filter(known::contains)
            .map(name -> "printf(\"%s %%lld\\n\", (long long) (%s));".formatted(name, name))
            .collect(Collectors.joining("\n"));
    Map<String, Long> theirs = new TreeMap<>();
    for (String line : program.run(main(prints), "")) {
      String[] words = line.split(" ", -1);
      theirs.put(words[0], Long.parseLong(words[1]));
    }

    assertThat(theirs).hasSize(ours.size() - absent.size()).hasSizeGreaterThan(100);
    theirs.forEach((name, number) -> assertThat(ours.get(name)).as(name).isEqualTo(number));
  }

  private static void collect(Set<String> known, String text) {
    Matcher words = WORD.matcher(text);
    while (words.find()) {
      known.add(words.group());
    }
  }

  private static String main(String statements) {
    return INCLUDES + "int main(void) {\n" + statements + "\nreturn 0;\n}\n";
  }

  @Test
  @DisplayName("AV-141 AV-146: versions and handles are computed as in C")
  void functionsOfTheHeaders(@TempDir Path directory) throws IOException, InterruptedException {
    CProgram program = new CProgram(directory);
    program.need(HEADER);
    boolean groups = program.preprocessed(INCLUDES).contains("fi_group_addr");
    List<String> prints = new ArrayList<>();
    List<Long> expected = new ArrayList<>();
    for (ApiVersion version : List.of(ApiVersion.V1_0, ApiVersion.V1_20, ApiVersion.LATEST)) {
      prints.add("FI_VERSION(%d, %d)".formatted(version.major(), version.minor()));
      expected.add((long) version.value());
    }
    for (int bits = 1; bits <= 8; bits++) {
      for (int index = 0; index < 1 << bits; index += 3) {
        prints.add("fi_rx_addr(0x123456, %d, %d)".formatted(index, bits));
        expected.add(Handles.atReceiveContext(0x123456, index, bits));
      }
    }
    for (int group = 0; groups && group < 1_000_000; group += 99_999) {
      prints.add("fi_group_addr(0x123456, %d)".formatted(group));
      expected.add(Handles.inGroup(0x123456, group));
    }
    String statements =
        prints.stream()
            .map(call -> "printf(\"%%lld\\n\", (long long) %s);".formatted(call))
            .collect(Collectors.joining("\n"));

    List<Long> answers = program.run(main(statements), "").stream().map(Long::valueOf).toList();

    assertThat(answers).isEqualTo(expected);
  }

  @Test
  @DisplayName("Section 5.1: socket addresses lie in memory as in C")
  void layoutsOfTheHeaders(@TempDir Path directory) throws IOException, InterruptedException {
    CProgram program = new CProgram(directory);
    program.need("netinet/in.h");
    String statements =
        """
        struct sockaddr_in four = {0};
        struct sockaddr_in6 six = {0};
        four.sin_family = AF_INET;
        four.sin_port = htons(5000);
        four.sin_addr.s_addr = htonl(0x0a010107);
        six.sin6_family = AF_INET6;
        six.sin6_port = htons(5000);
        six.sin6_flowinfo = htonl(0x01020304);
        for (int i = 0; i < 16; i++) six.sin6_addr.s6_addr[i] = i + 1;
        six.sin6_scope_id = 7;
        for (size_t i = 0; i < sizeof four; i++) printf("%d\\n", ((signed char *) &four)[i]);
        for (size_t i = 0; i < sizeof six; i++) printf("%d\\n", ((signed char *) &six)[i]);
        """;
    String source =
        "#include <netinet/in.h>\n#include <stdio.h>\nint main(void) {\n"
            + statements
            + "return 0;\n}\n";

    List<Byte> bytes = program.run(source, "").stream().map(Byte::valueOf).toList();

    List<Byte> expected = new ArrayList<>();
    for (byte value : new FabricAddress.SocketAddress4(0x0A010107, 5000).toBytes()) {
      expected.add(value);
    }
    FabricAddress six =
        new FabricAddress.SocketAddress6(
            0x0102_0304_0506_0708L, 0x090A_0B0C_0D0E_0F10L, 5000, 0x01020304, 7);
    for (byte value : six.toBytes()) {
      expected.add(value);
    }
    assertThat(bytes).isEqualTo(expected);
  }

  @Test
  @DisplayName("AV-209: errors have the words of fi_strerror")
  void wordsOfTheLibrary(@TempDir Path directory) throws IOException, InterruptedException {
    CProgram program = new CProgram(directory);
    program.need(HEADER);
    String statements =
        """
        for (int i = -300; i <= 300; i++)
          if (i < FI_ERRNO_MAX && -i < FI_ERRNO_MAX || i > 280 || i < -280)
            printf("%d %s\\n", i, fi_strerror(i));
        """;

    List<String> lines = program.run(main(statements), "", "-lfabric");

    assertThat(lines).hasSizeGreaterThan(500);
    for (String line : lines) {
      int space = line.indexOf(' ');
      int number = Integer.parseInt(line.substring(0, space));
      // libfabric misspells this one.
      if (Math.abs(number) != Errno.EFIREWALLADDR.number()) {
        assertThat(Errno.describe(number)).isEqualTo(line.substring(space + 1));
      }
    }
  }
}
