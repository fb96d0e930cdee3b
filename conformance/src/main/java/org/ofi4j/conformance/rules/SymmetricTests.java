// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressResolver;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** SYM: {@code fi_av_insertsym}. */
@ConformanceTest
class SymmetricTests extends AddressTests {
  private static final int HOST = 0x0A010101;
  private static final int EADDRNOTAVAIL = Errno.EADDRNOTAVAIL.number();

  /** Knows host00 to host99, node000 to node999 and wide0000 to wide9999, as 10.9 and number. */
  private static AddressResolver resolver(Set<String> asked) {
    return host -> {
      asked.add(host);
      if (!host.matches("host\\d{2}|node\\d{3}|wide\\d{4}|alone")) {
        throw new UnknownHostException(host);
      }
      String digits = host.replaceAll("\\D", "");
      int number = digits.isEmpty() ? 255 : Integer.parseInt(digits);
      return List.of(InetAddress.ofLiteral("10.9." + number / 256 + "." + number % 256));
    };
  }

  private static VectorOptions named(Set<String> asked) {
    return VectorOptions.table().withResolver(resolver(asked));
  }

  private FabricAddress host(int number, int port) {
    return ipv4(0x0A090000 + number, port);
  }

  private static List<FabricAddress> lookups(AddressVector vector, long[] handles) {
    List<FabricAddress> found = new ArrayList<>();
    for (long handle : handles) {
      found.add(vector.lookup(handle));
    }
    return found;
  }

  private static Inserted packed(
      AddressVector vector, String node, int nodes, String service, int services) {
    long[] fi = new long[nodes * services];
    Arrays.fill(fi, 7);
    int[] st = new int[fi.length];
    Arrays.fill(st, -1);
    int result =
        vector.insertSymmetric(
            node,
            nodes,
            service,
            services,
            MemorySegment.ofArray(fi),
            MemorySegment.ofArray(st),
            InsertFlag.SYNC_ERR.mask(),
            null);
    return Inserted.of(fi, st, result);
  }

  @Proves({"AV-115", "AV-117", "AV-120", "AV-122", "AV-201"})
  @EachProfile
  void nodesTimesServices(Setup setup, ConformanceEnvironment environment) {
    for (VectorType type : List.of(VectorType.TABLE, VectorType.MAP)) {
      AddressVector vector = environment.vector(setup, VectorOptions.defaults().withType(type));

      Insertion four = vector.insertSymmetric("10.1.1.1", 2, "5000", 2);

      assertThat(four.result()).isEqualTo(4);
      assertThat(lookups(vector, four.handles()))
          .containsExactly(
              ipv4(HOST, 5000), ipv4(HOST, 5001), ipv4(HOST + 1, 5000), ipv4(HOST + 1, 5001));
      if (type == VectorType.TABLE) {
        assertThat(four.handles()).containsExactly(0, 1, 2, 3);
      }
      long[] fi = {7, 7, 7, 7, 7};
      MemorySegment handles = MemorySegment.ofArray(fi);
      assertThat(vector.insertSymmetric("10.2.1.1", 2, "5000", 2, handles, null, 0, null))
          .isEqualTo(4);
      assertThat(vector.lookup(fi[3])).isEqualTo(ipv4(0x0A020102, 5001));
      assertThat(fi[4]).isEqualTo(7);
    }
  }

  @Proves("AV-116")
  @Test
  void servicesAreConsecutiveAndInclusive(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();

    long[] handles = vector.insertSymmetric("10.1.1.1", 1, "5000", 3).handles();

    assertThat(lookups(vector, handles))
        .containsExactly(ipv4(HOST, 5000), ipv4(HOST, 5001), ipv4(HOST, 5002));
    assertThat(lookups(vector, vector.insertSymmetric("10.1.1.1", 1, "http", 2).handles()))
        .as("a service name is resolved once, then counted")
        .containsExactly(ipv4(HOST, 80), ipv4(HOST, 81));
  }

  @Proves("AV-118")
  @Test
  void nodesCarryIntoTheNextOctets(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();

    assertThat(lookups(vector, vector.insertSymmetric("10.1.1.254", 3, "5000", 1).handles()))
        .containsExactly(ipv4(0x0A0101FE, 5000), ipv4(0x0A0101FF, 5000), ipv4(0x0A010200, 5000));
    assertThat(lookups(vector, vector.insertSymmetric("10.255.255.255", 2, "5000", 1).handles()))
        .containsExactly(ipv4(0x0AFFFFFF, 5000), ipv4(0x0B000000, 5000));
    assertThat(lookups(vector, vector.insertSymmetric("127.255.255.255", 2, "5000", 1).handles()))
        .as("the numbers have no sign")
        .containsExactly(ipv4(0x7FFFFFFF, 5000), ipv4(0x80000000, 5000));
  }

  @Proves("AV-118")
  @ParameterizedTest
  @ValueSource(strings = {"SOCKADDR_IN6", "SOCKADDR"})
  void ipv6NodesCountIn128Bits(AddressFormat format, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(format));
    long high = 0x20010DB800000000L;

    assertThat(lookups(vector, vector.insertSymmetric("2001:db8::fd", 5, "5000", 1).handles()))
        .containsExactly(
            new SocketAddress6(high, 0xfd, 5000, 0, 0),
            new SocketAddress6(high, 0xfe, 5000, 0, 0),
            new SocketAddress6(high, 0xff, 5000, 0, 0),
            new SocketAddress6(high, 0x100, 5000, 0, 0),
            new SocketAddress6(high, 0x101, 5000, 0, 0));
    assertThat(
            lookups(
                vector,
                vector.insertSymmetric("2001:db8::ffff:ffff:ffff:ffff", 2, "5000", 1).handles()))
        .containsExactly(
            new SocketAddress6(high, -1, 5000, 0, 0), new SocketAddress6(high + 1, 0, 5000, 0, 0));
  }

  @Proves({"AV-115", "AV-118"})
  @ParameterizedTest
  @ValueSource(strings = {"SOCKADDR_IN", "STR"})
  void textVectorsTakeRangesToo(AddressFormat format, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(format));

    assertThat(lookups(vector, vector.insertSymmetric("10.1.1.255", 2, "5000", 2).handles()))
        .allSatisfy(address -> assertThat(address.format()).isEqualTo(format))
        .extracting(FabricAddress::toText)
        .containsExactly(
            "fi_sockaddr_in://10.1.1.255:5000",
            "fi_sockaddr_in://10.1.1.255:5001",
            "fi_sockaddr_in://10.1.2.0:5000",
            "fi_sockaddr_in://10.1.2.0:5001");
  }

  @Proves("AV-119")
  @Test
  void countedNamesNeedDigits(ConformanceEnvironment environment) {
    Set<String> asked = new ConcurrentSkipListSet<>();
    AddressVector vector = environment.vector(Setup.DEFAULT, named(asked));
    MemorySegment handles = MemorySegment.ofArray(new long[2]);

    Expect.invalid(() -> vector.insertSymmetric("alone", 2, "5000", 1));
    Expect.invalid(() -> vector.insertSymmetric("alone", 2, "5000", 1, handles, null, 0, null));
    Expect.invalid(() -> vector.insertSymmetric("10x", 2, "5000", 1));
    Expect.invalid(() -> vector.insertSymmetric("", 2, "5000", 1));
    Expect.invalid(() -> vector.insertSymmetric("", 2, "5000", 1, handles, null, 0, null));
    assertThat(vector.size()).isZero();

    assertThat(lookups(vector, vector.insertSymmetric("alone", 1, "5000", 2).handles()))
        .containsExactly(host(255, 5000), host(255, 5001));
  }

  @Proves("AV-119")
  @Test
  void theWidthOfDigitsIsKept(ConformanceEnvironment environment) {
    Set<String> asked = new ConcurrentSkipListSet<>();
    AddressVector vector = environment.vector(Setup.DEFAULT, named(asked));

    assertThat(lookups(vector, vector.insertSymmetric("host09", 2, "5000", 1).handles()))
        .containsExactly(host(9, 5000), host(10, 5000));
    assertThat(lookups(vector, vector.insertSymmetric("node098", 4, "5000", 1).handles()))
        .containsExactly(host(98, 5000), host(99, 5000), host(100, 5000), host(101, 5000));

    assertThat(asked)
        .containsExactly("host09", "host10", "node098", "node099", "node100", "node101");
  }

  /** All leading zeros count, however many there are, in each of the nodes. */
  @Proves("AV-119")
  @Test
  void severalLeadingZerosAreKept(ConformanceEnvironment environment) {
    Set<String> asked = new ConcurrentSkipListSet<>();
    AddressVector vector = environment.vector(Setup.DEFAULT, named(asked));

    assertThat(lookups(vector, packed(vector, "wide0000", 3, "5000", 1).fi()))
        .containsExactly(host(0, 5000), host(1, 5000), host(2, 5000));
    assertThat(lookups(vector, vector.insertSymmetric("wide0009", 3, "5000", 1).handles()))
        .containsExactly(host(9, 5000), host(10, 5000), host(11, 5000));
    assertThat(lookups(vector, vector.insertSymmetric("wide0099", 2, "5000", 1).handles()))
        .containsExactly(host(99, 5000), host(100, 5000));
    assertThat(lookups(vector, vector.insertSymmetric("wide0999", 2, "5000", 1).handles()))
        .containsExactly(host(999, 5000), host(1000, 5000));

    assertThat(asked)
        .containsExactly(
            "wide0000",
            "wide0001",
            "wide0002",
            "wide0009",
            "wide0010",
            "wide0011",
            "wide0099",
            "wide0100",
            "wide0999",
            "wide1000");
  }

  @Proves("AV-121")
  @Test
  void namesAreCounted(ConformanceEnvironment environment) {
    Set<String> asked = new ConcurrentSkipListSet<>();
    AddressVector vector = environment.vector(Setup.DEFAULT, named(asked));

    Inserted four = packed(vector, "host10", 2, "5000", 2);

    assertThat(four.result()).isEqualTo(4);
    assertThat(four.fi()).containsExactly(0, 1, 2, 3);
    assertThat(lookups(vector, four.fi()))
        .containsExactly(host(10, 5000), host(10, 5001), host(11, 5000), host(11, 5001));
    assertThat(asked).containsExactly("host10", "host11");
  }

  @Proves({"AV-121", "AV-202", "AV-207"})
  @Test
  void aNameThatIsUnknownFailsAlone(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT, named(new ConcurrentSkipListSet<>()));

    Inserted inserted = packed(vector, "host98", 4, "5000", 2); // host100 and host101 do not exist

    assertThat(inserted.result()).isEqualTo(4);
    assertThat(inserted.st()).containsExactly(0, 0, 0, 0, 61, 61, 61, 61);
    assertThat(inserted.fi()).containsExactly(0, 1, 2, 3, -1, -1, -1, -1);
  }

  @Proves("AV-122")
  @Test
  void emptyRangesAreLegal(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();

    assertThat(vector.insertSymmetric("10.1.1.1", 0, "5000", 4).result()).isZero();
    assertThat(vector.insertSymmetric("10.1.1.1", 4, "5000", 0).result()).isZero();
    assertThat(vector.insertSymmetric("10.1.1.1", 0, "5000", 4, null, null, 0, null)).isZero();
    assertThat(vector.size()).isZero();
  }

  @Proves("AV-122")
  @Test
  void impossibleRangesAreRefused(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    MemorySegment three = MemorySegment.ofArray(new long[3]);
    MemorySegment four = MemorySegment.ofArray(new long[4]);
    MemorySegment short3 = MemorySegment.ofArray(new int[3]);
    long statuses = InsertFlag.SYNC_ERR.mask();

    Expect.invalid(
        () -> vector.insertSymmetric("10.0.0.1", 65_536, "1", 32_768, null, null, 0, null));
    Expect.invalid(() -> vector.insertSymmetric("10.0.0.1", Integer.MAX_VALUE, "1", 2));
    Expect.invalid(() -> vector.insertSymmetric("10.0.0.1", -1, "1", 1));
    Expect.invalid(() -> vector.insertSymmetric("10.0.0.1", 1, "1", -1));
    Expect.invalid(() -> vector.insertSymmetric("10.0.0.1", 2, "5000", 2, three, null, 0, null));
    Expect.invalid(
        () -> vector.insertSymmetric("10.0.0.1", 2, "5000", 2, four, short3, statuses, null));
    assertThat(vector.size()).isZero();
    assertThat(three.toArray(ValueLayout.JAVA_LONG_UNALIGNED)).containsOnly(0);
  }

  @Proves("AV-123")
  @Test
  void portsDoNotWrap(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();

    Inserted two = packed(vector, "10.1.1.1", 1, "65535", 2);

    assertThat(two.result()).isEqualTo(1);
    assertThat(two.fi()).containsExactly(0, Handles.NOT_AVAILABLE);
    assertThat(two.st()).containsExactly(0, EADDRNOTAVAIL);

    Inserted six = packed(vector, "10.1.1.254", 3, "65535", 2);
    assertThat(six.result()).isEqualTo(3);
    assertThat(six.fi()).containsExactly(1, -1, 2, -1, 3, -1);
    assertThat(six.st()).containsExactly(0, 99, 0, 99, 0, 99);
    assertThat(lookups(vector, new long[] {1, 2, 3}))
        .containsExactly(ipv4(0x0A0101FE, 65535), ipv4(0x0A0101FF, 65535), ipv4(0x0A010200, 65535));
  }

  @Proves("AV-123")
  @ParameterizedTest
  @ValueSource(strings = {"SOCKADDR_IN6", "STR"})
  void addressesDoNotWrap(AddressFormat format, ConformanceEnvironment environment) {
    AddressVector four = environment.vector();

    Inserted last = packed(four, "255.255.255.255", 2, "5000", 1);

    assertThat(last.result()).isEqualTo(1);
    assertThat(last.fi()).containsExactly(0, Handles.NOT_AVAILABLE);
    assertThat(last.st()).containsExactly(0, EADDRNOTAVAIL);
    AddressVector six = environment.vector(Setup.DEFAULT.format(format));
    Inserted last6 = packed(six, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 2, "5000", 1);
    assertThat(last6.result()).isEqualTo(1);
    assertThat(last6.st()).containsExactly(0, EADDRNOTAVAIL);
    assertThat(FabricAddress.parse(six.lookup(0).toText()))
        .isEqualTo(new SocketAddress6(-1, -1, 5000, 0, 0));
  }

  @Proves("AV-123")
  @Test
  void rangesMayBeginWhereNothingCanBeInserted(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();

    Inserted inserted = packed(vector, "0.0.0.0", 2, "0", 2);

    assertThat(inserted.st()).containsExactly(99, 99, 99, 0);
    assertThat(inserted.fi()).containsExactly(-1, -1, -1, 0);
    assertThat(vector.lookup(0)).isEqualTo(ipv4(1, 1));
  }

  @Proves("AV-124")
  @Test
  void statusesAreFilledIn(ConformanceEnvironment environment) {
    for (ApiVersion version : List.of(ApiVersion.V1_5, ApiVersion.V2_1)) {
      AddressVector vector = environment.vector(Setup.of(version));
      int[] st = {-1, -1, -1, -1, -1};
      MemorySegment errors = MemorySegment.ofArray(st);

      assertThat(
              vector.insertSymmetric(
                  "10.1.1.1", 2, "65535", 2, null, errors, InsertFlag.SYNC_ERR.mask(), null))
          .isEqualTo(2);

      assertThat(st).containsExactly(0, 99, 0, 99, -1);
    }
  }

  @Proves({"AV-115", "AV-050"})
  @Test
  void largeRangesAreRoutine(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    int nodes = 4096;
    int services = 16;

    Insertion inserted =
        vector.insertSymmetric("10.16.0.0", nodes, "5000", services, InsertOptions.none());

    assertThat(inserted.result()).isEqualTo(nodes * services);
    for (int i = 0; i < nodes * services; i += 97) {
      FabricAddress expected = ipv4(0x0A100000 + i / services, 5000 + i % services);
      assertThat(inserted.handle(i)).isEqualTo(i);
      assertThat(vector.lookup(i)).isEqualTo(expected);
      assertThat(vector.find(expected)).isEqualTo(i);
    }
  }
}
