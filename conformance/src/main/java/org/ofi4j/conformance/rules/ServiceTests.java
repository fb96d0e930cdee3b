// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressResolver;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.NodeService;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** SVC: {@code fi_av_insertsvc}. */
@ConformanceTest
class ServiceTests extends AddressTests {
  private static final int ENODATA = Errno.ENODATA.number();
  private static final Map<String, List<String>> NAMES =
      Map.of(
          "one", List.of("10.1.1.1"),
          "both", List.of("2001:db8::1", "10.1.1.2"),
          "six", List.of("2001:db8::6"));

  private static AddressResolver resolver(Queue<String> asked) {
    return host -> {
      asked.add(host);
      List<String> found = NAMES.get(host);
      if (found == null) {
        throw new UnknownHostException(host);
      }
      return found.stream().map(InetAddress::ofLiteral).toList();
    };
  }

  private FabricAddress localhost() {
    return ipv4(0x7F000001, 80);
  }

  private static VectorOptions table(Queue<String> asked) {
    return VectorOptions.table().withResolver(resolver(asked));
  }

  @Proves({"AV-108", "AV-201"})
  @EachProfile
  void nodeAndServiceMakeOneAddress(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    long[] fi = {7, 7};

    MemorySegment handles = MemorySegment.ofArray(fi);
    assertThat(vector.insertService("127.0.0.1", "80", handles, null, 0, null)).isEqualTo(1);

    assertThat(fi).containsExactly(0, 7);
    assertThat(vector.lookup(0)).isEqualTo(localhost());
    assertThat(vector.insertService("10.1.1.1", "5000")).isEqualTo(1);
    assertThat(vector.lookup(1)).isEqualTo(a(1));
    Insertion third = vector.insertService("10.1.1.2", "5000", InsertOptions.none());
    assertThat(third.result()).isEqualTo(1);
    assertThat(third.requested()).isEqualTo(1);
    assertThat(third.handles()).containsExactly(2);
  }

  @Proves("AV-109")
  @Test
  void systemNamesAndServicesWork(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.IPV4);

    vector.insertService("localhost", "http");

    assertThat(vector.lookup(0)).isEqualTo(localhost());
    FabricAddress asked =
        environment.info(Setup.IPV4.hints().withDestination("localhost:http")).destination();
    assertThat(vector.lookup(0)).as("the same as from info").isEqualTo(asked);
  }

  @Proves({"AV-109", "AV-110", "AV-118"})
  @ParameterizedTest
  @CsvSource({"127.1", "127.0.1", "0x7f000001", "2130706433", "0177.0.0.1", "0x7f.0x1"})
  void numericNodesAreThoseOfTheResolver(String node, ConformanceEnvironment environment) {
    Queue<String> asked = new ConcurrentLinkedQueue<>();
    AddressVector vector = environment.vector(Setup.IPV4, table(asked));

    vector.insertService(node, "80");
    assertThat(vector.lookup(0)).isEqualTo(localhost());
    assertThat(vector.insertSymmetric(node, 2, "81", 1).inserted()).isEqualTo(2);
    assertThat(vector.lookup(2)).isEqualTo(ipv4(0x7F000002, 81));
    assertThat(
            environment
                .info(Setup.IPV4.hints().withDestination(new NodeService(node, "80")))
                .destination())
        .as("the same from info")
        .isEqualTo(localhost());
    assertThat(asked).isEmpty();
  }

  @Proves("AV-109")
  @ParameterizedTest
  @CsvSource({"http,80", "https,443", "ssh,22", "domain,53", "discard,9"})
  void wellKnownServicesHaveTheirPorts(
      String service, int port, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();

    vector.insertService("10.1.1.1", service);

    assertThat(vector.lookup(0)).isEqualTo(ipv4(0x0A010101, port));
  }

  /** A node of digits alone is a name if getaddrinfo does not take it for a number (D-68). */
  @Proves({"AV-109", "AV-110"})
  @ParameterizedTest
  @CsvSource({"4294967296", "99999999999", "08"})
  void digitsThatMakeNoAddressAreNames(String node, ConformanceEnvironment environment) {
    Queue<String> asked = new ConcurrentLinkedQueue<>();
    AddressVector vector = environment.vector(Setup.DEFAULT, table(asked));

    assertThat(vector.insertService(node, "80", InsertOptions.none()).error(0)).isEqualTo(ENODATA);

    assertThat(asked).containsExactly(node);
  }

  @Proves({"AV-109", "AV-110"})
  @Test
  void numericNodesNeverReachTheResolver(ConformanceEnvironment environment) {
    Queue<String> asked = new ConcurrentLinkedQueue<>();
    AddressVector vector =
        environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR), table(asked));

    vector.insertService("10.1.1.1", "5000");
    vector.insertService("2001:db8::1", "5000");
    vector.insertService("::ffff:10.1.1.1", "5000");
    vector.insertService("fi_sockaddr_in://10.1.1.2:5000", null);

    assertThat(asked).isEmpty();
    assertThat(vector.lookup(1)).isEqualTo(new SocketAddress6(0x20010DB800000000L, 1, 5000, 0, 0));
    assertThat(vector.lookup(2)).isEqualTo(new SocketAddress6(0, 0xFFFF0A010101L, 5000, 0, 0));
  }

  @Proves({"AV-109", "AV-110"})
  @Test
  void namesTakeTheFirstAddressThatFits(ConformanceEnvironment environment) {
    Queue<String> asked = new ConcurrentLinkedQueue<>();
    AddressVector four = environment.vector(Setup.DEFAULT, table(asked));
    AddressVector six =
        environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR_IN6), table(asked));
    AddressVector either =
        environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR), table(asked));

    assertThat(four.lookup(four.insertService("both", "5000"))).isEqualTo(a(2));
    FabricAddress expected = new SocketAddress6(0x20010DB800000000L, 1, 5000, 0, 0);
    assertThat(six.lookup(six.insertService("both", "5000"))).isEqualTo(expected);
    assertThat(either.lookup(either.insertService("both", "5000"))).isEqualTo(expected);
    FabricException refused =
        Expect.failure(Errno.ENODATA, () -> four.insertService("six", "5000"));
    assertThat(refused).hasMessageContaining("six");
    assertThat(asked).containsExactly("both", "both", "both", "six");
  }

  @Proves({"AV-110", "AV-202", "AV-207"})
  @EachProfile
  void unknownNamesFailLikeAddresses(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, table(new ConcurrentLinkedQueue<>()));
    long[] fi = {7};

    assertThat(vector.insertService("nobody", "5000", MemorySegment.ofArray(fi), null, 0, null))
        .isZero();

    assertThat(fi).containsExactly(Handles.NOT_AVAILABLE);
    Insertion values = vector.insertService("nobody", "5000", InsertOptions.none());
    assertThat(values.result()).isZero();
    assertThat(values.error(0)).isEqualTo(ENODATA);
    InsertionFailure failure = values.failures().getFirst();
    assertThat(failure.toString()).as("names the host").contains("nobody");
    Expect.failure(Errno.ENODATA, () -> vector.insertService("nobody", "5000"));
    assertThat(vector.size()).isZero();
    assertThat(vector.insertService("one", "5000")).as("no index was used up").isZero();
  }

  @Proves({"AV-110", "AV-010"})
  @Test
  @SuppressWarnings("NullAway") // a missing node is the point
  void aMissingNodeIsRefused(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    MemorySegment handles = MemorySegment.ofArray(new long[1]);

    Expect.invalid(() -> vector.insertService(null, "5000"));
    Expect.invalid(() -> vector.insertService(null, "5000", InsertOptions.none()));
    Expect.invalid(() -> vector.insertService(null, "5000", handles, null, 0, null));
    assertThat(vector.size()).isZero();
  }

  @Proves("AV-111")
  @ParameterizedTest
  @CsvSource({
    "0,99",
    "70000,22",
    "65536,22",
    "4294967376,22",
    "99999999999999999999,22",
    "-1,22",
    "+80,22",
    "'',22",
    "' 80',22",
    "'80 ',22",
    "8 0,22",
    "80:90,22",
    "80x,61",
    "0x50,61",
    "nosuchservice,61",
    "'http ',61"
  })
  void badServicesAreNoSuccess(String service, int errno, ConformanceEnvironment environment) {
    for (String node : List.of("127.0.0.1", "one")) {
      AddressVector vector =
          environment.vector(Setup.DEFAULT, table(new ConcurrentLinkedQueue<>()));
      long[] fi = {7};
      int[] st = {0};

      int inserted =
          vector.insertService(
              node,
              service,
              MemorySegment.ofArray(fi),
              MemorySegment.ofArray(st),
              InsertFlag.SYNC_ERR.mask(),
              null);

      assertThat(inserted).isZero();
      assertThat(fi).containsExactly(Handles.NOT_AVAILABLE);
      assertThat(st).containsExactly(errno);
      Insertion values = vector.insertService(node, service, InsertOptions.none());
      assertThat(values.result()).isZero();
      assertThat(values.error(0)).isEqualTo(errno);
      Expect.failure(Errno.of(errno), () -> vector.insertService(node, service));
      assertThat(vector.size()).isZero();
    }
  }

  /** Every port has its number, and names do not depend on how the node is given. */
  @Proves("AV-111")
  @ParameterizedTest
  @CsvSource({
    "1,1",
    "80,80",
    "255,255",
    "256,256",
    "32767,32767",
    "32768,32768",
    "65535,65535",
    "0080,80",
    "00000000000000065535,65535",
    "http,80",
    "https,443",
    "ssh,22",
    "domain,53"
  })
  void servicesArePortsOrNames(String service, int port, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT, table(new ConcurrentLinkedQueue<>()));
    FabricAddress expected = ipv4(0x0A010101, port);
    long[] fi = {7};

    int inserted =
        vector.insertService("10.1.1.1", service, MemorySegment.ofArray(fi), null, 0, null);
    assertThat(inserted).isEqualTo(1);
    Expect.address(vector, fi[0], expected);
    vector.remove(fi[0]);
    Expect.address(vector, vector.insertService("one", service), expected);
  }

  @Proves("AV-111")
  @Test
  void leadingZerosAreDecimal(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();

    vector.insertService("10.1.1.1", "010");

    assertThat(vector.lookup(0)).isEqualTo(ipv4(0x0A010101, 10));
  }

  @Proves("AV-111")
  @Test
  void aMissingServiceIsRefused(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    MemorySegment handles = MemorySegment.ofArray(new long[1]);

    Expect.invalid(() -> vector.insertService("10.1.1.1", null));
    Expect.invalid(() -> vector.insertService("10.1.1.1", null, InsertOptions.none()));
    Expect.invalid(() -> vector.insertService("10.1.1.1", null, handles, null, 0, null));
    assertThat(vector.size()).isZero();
  }

  @Proves("AV-112")
  @Test
  void theNodeMayBeAWholeAddress(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR));
    String text = "fi_sockaddr_in://10.2.2.2:99";
    FabricAddress expected = new SocketAddress4(0x0A020202, 99);
    long[] fi = {7};

    MemorySegment handles = MemorySegment.ofArray(fi);
    assertThat(vector.insertService(text, null, handles, null, 0, null)).isEqualTo(1);

    assertThat(vector.lookup(fi[0])).isEqualTo(expected);
    long six = vector.insertService("fi_sockaddr_in6://[2001:db8::1]:99", null);
    assertThat(vector.lookup(six)).isEqualTo(new SocketAddress6(0x20010DB800000000L, 1, 99, 0, 0));
    AddressVector texts = environment.vector(Setup.of(ApiVersion.V1_5).format(AddressFormat.STR));
    assertThat(texts.lookup(texts.insertService(text, null))).isEqualTo(new TextAddress(text));
  }

  @Proves("AV-112")
  @ParameterizedTest
  @CsvSource({
    "fi_sockaddr_in://10.2.2.2:70000,22",
    "fi_sockaddr_in://10.2.2.2,99",
    "fi_sockaddr_in://0.0.0.0:5000,99",
    "fi_sockaddr_in6://[2001:db8::1]:99,22"
  })
  void aBadWholeAddressSaysWhy(String text, int errno, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.IPV4);

    Insertion insertion = vector.insertService(text, null, InsertOptions.none());

    assertThat(insertion.result()).isZero();
    assertThat(insertion.error(0)).isEqualTo(errno);
    assertThat(vector.size()).isZero();
  }

  @Proves({"AV-109", "AV-110"})
  @Test
  void theScopeOfANodeIsKeptOrRefused(ConformanceEnvironment environment) {
    AddressVector six = environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR_IN6));
    AddressVector texts = environment.vector(Setup.DEFAULT.format(AddressFormat.STR));

    assertThat(six.lookup(six.insertService("fe80::1%1", "5000")))
        .isEqualTo(new SocketAddress6(0xFE80000000000000L, 1, 5000, 0, 1));
    Insertion refused = texts.insertService("fe80::1%1", "5000", InsertOptions.none());
    assertThat(refused.error(0)).as("the text form has no room for it").isEqualTo(22);
    assertThat(texts.size()).isZero();
  }

  @Proves("AV-113")
  @Test
  void aWholeAddressTakesNoService(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    String text = "fi_sockaddr_in://10.2.2.2:99";
    MemorySegment handles = MemorySegment.ofArray(new long[1]);

    Expect.invalid(() -> vector.insertService(text, "1"));
    Expect.invalid(() -> vector.insertService(text, "99", InsertOptions.none()));
    Expect.invalid(() -> vector.insertService(text, "1", handles, null, 0, null));
    assertThat(vector.size()).isZero();
  }

  @Proves("AV-114")
  @Test
  void statusesAreFilledIn(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT, table(new ConcurrentLinkedQueue<>()));
    int[] st = {-1};
    MemorySegment errors = MemorySegment.ofArray(st);
    long flags = InsertFlag.SYNC_ERR.mask();

    assertThat(vector.insertService("one", "5000", null, errors, flags, null)).isEqualTo(1);
    assertThat(st[0]).isZero();
    assertThat(vector.insertService("nobody", "5000", null, errors, flags, null)).isZero();
    assertThat(st[0]).isEqualTo(ENODATA);
    assertThat(vector.insertService("10.1.1.1", "0", null, errors, flags, null)).isZero();
    assertThat(st[0]).isEqualTo(Errno.EADDRNOTAVAIL.number());
  }
}
