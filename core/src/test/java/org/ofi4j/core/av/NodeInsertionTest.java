// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.contents;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.ints;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.table;
import static org.ofi4j.core.av.VectorFixture.uri;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressResolver;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

/** {@code fi_av_insertsvc} and {@code fi_av_insertsym}. */
class NodeInsertionTest {
  private final Set<String> asked = ConcurrentHashMap.newKeySet();
  private final CoreAddressVector vector =
      open(TestInfo.defaults(), VectorOptions.table().withResolver(this::resolve));

  /** host10 is 10.9.0.10; everything else is unknown. */
  private List<InetAddress> resolve(String host) throws UnknownHostException {
    asked.add(host);
    if (!host.startsWith("host")) {
      throw new UnknownHostException(host);
    }
    return List.of(
        InetAddress.ofLiteral("2001:db8::" + host.substring(4)),
        InetAddress.ofLiteral("10.9.0." + Integer.parseInt(host.substring(4))));
  }

  private static List<FabricAddress> uris(String... texts) {
    return List.of(texts).stream().map(FabricAddress::parse).toList();
  }

  @Test
  @Tag("AV-006")
  @DisplayName("Numeric nodes never touch the resolver")
  void numericNodes() {
    assertThat(vector.insertService("127.0.0.1", "80")).isZero();
    assertThat(vector.insertSymmetric("10.1.1.254", 3, "5000", 2).inserted()).isEqualTo(6);
    fails(Errno.EINVAL, () -> vector.insertService("::1", "80"));
    fails(Errno.EINVAL, () -> vector.insertService("1.2.3.256", "80"));
    assertThat(asked).isEmpty();
    assertThat(contents(vector, 7))
        .isEqualTo(
            uris(
                "fi_sockaddr_in://127.0.0.1:80",
                "fi_sockaddr_in://10.1.1.254:5000",
                "fi_sockaddr_in://10.1.1.254:5001",
                "fi_sockaddr_in://10.1.1.255:5000",
                "fi_sockaddr_in://10.1.1.255:5001",
                "fi_sockaddr_in://10.1.2.0:5000",
                "fi_sockaddr_in://10.1.2.0:5001"));
  }

  @Test
  @DisplayName("Control characters of a node, or of a name that is not known, are escaped")
  void badNodesAreEscaped() {
    for (String node : new String[] {"\033[2J::1", "no\nsuch\033host"}) {
      assertThatThrownBy(() -> vector.insertService(node, "80"))
          .isInstanceOf(FabricException.class)
          .hasMessageContaining("\\u001b")
          .hasMessageNotContainingAny("\033", "\n");
    }
  }

  @Test
  @Tag("AV-121")
  @DisplayName("B2: host names and services are counted, and what was counted is resolved")
  void hostRange() {
    assertThat(vector.insertSymmetric("host09", 2, "http", 2).handles())
        .containsExactly(0, 1, 2, 3);
    assertThat(asked).containsExactlyInAnyOrder("host09", "host10");
    assertThat(contents(vector, 4))
        .isEqualTo(
            uris(
                "fi_sockaddr_in://10.9.0.9:80",
                "fi_sockaddr_in://10.9.0.9:81",
                "fi_sockaddr_in://10.9.0.10:80",
                "fi_sockaddr_in://10.9.0.10:81"));
  }

  @Test
  @Tag("AV-110")
  @DisplayName("D-34: text cannot carry a scope, so an address that needs one is refused")
  void scopeInTextVector() {
    CoreAddressVector texts =
        open(TestInfo.defaults().format(AddressFormat.STR), VectorOptions.table());
    fails(Errno.EINVAL, "scope id 7", () -> texts.insertService("fe80::1%7", "5000"));
    Insertion range = texts.insertSymmetric("fe80::1%7", 2, "65535", 2);
    assertThat(range.handles()).containsExactly(NA, NA, NA, NA);
    assertThat(IntStream.range(0, 4).map(range::error)).containsExactly(22, 99, 22, 99);
    assertThat(texts.insertService("fe80::1", "5000")).isZero();
    CoreAddressVector ipv6 =
        open(TestInfo.defaults().format(AddressFormat.SOCKADDR_IN6), VectorOptions.table());
    assertThat(ipv6.lookup(ipv6.insertService("fe80::1%7", "5000")))
        .isEqualTo(new SocketAddress6(0xFE80L << 48, 1, 5000, 0, 7));
  }

  @Test
  @Tag("AV-123")
  void whatLiesBeyondTheEndFailsByItself() {
    Insertion ports = vector.insertSymmetric("10.1.1.254", 3, "65535", 2);
    assertThat(ports.handles()).containsExactly(0, NA, 1, NA, 2, NA);
    assertThat(IntStream.range(0, 6).map(ports::error)).containsExactly(0, 99, 0, 99, 0, 99);
    assertThat(ports.failures().getFirst().toString())
        .contains("10.1.1.254:65536", "port 65536 does not exist");
    Insertion nodes = vector.insertSymmetric("255.255.255.255", 2, "7", 1);
    assertThat(nodes.handles()).containsExactly(3, NA);
    assertThat(nodes.failures().getFirst().reason()).contains("last IPv4 address");
    Insertion zero = vector.insertSymmetric("10.2.2.2", 1, "0", 2);
    assertThat(zero.handles()).containsExactly(NA, 4);
    assertThat(zero.error(0)).isEqualTo(99);
    assertThat(zero.failures().getFirst().reason()).contains("port");
  }

  @Test
  @DisplayName("Test vector 5.5: 2001:db8::fd x5")
  void ipv6Range() {
    CoreAddressVector six =
        open(TestInfo.defaults().format(AddressFormat.SOCKADDR_IN6), VectorOptions.table());
    assertThat(six.insertSymmetric("2001:db8::fd", 5, "5000", 1).inserted()).isEqualTo(5);
    assertThat(contents(six, 5))
        .isEqualTo(
            uris(
                "fi_sockaddr_in6://[2001:db8::fd]:5000",
                "fi_sockaddr_in6://[2001:db8::fe]:5000",
                "fi_sockaddr_in6://[2001:db8::ff]:5000",
                "fi_sockaddr_in6://[2001:db8::100]:5000",
                "fi_sockaddr_in6://[2001:db8::101]:5000"));
  }

  @ParameterizedTest(name = "{0} \"{1}\":\"{2}\" fails with {3}")
  @Tag("AV-110")
  @Tag("AV-111")
  @CsvSource({
    "name not known, nowhere, 80, ENODATA",
    "service not known, 10.1.1.1, nosuchsvc, ENODATA",
    "port too large, 10.1.1.1, 70000, EINVAL",
    "negative port, 10.1.1.1, -1, EINVAL",
    "port zero, 10.1.1.1, 0, EADDRNOTAVAIL",
    "any address, 0.0.0.0, 80, EADDRNOTAVAIL",
    "four numbers, 10.1.1.300, 80, EINVAL",
    "empty node, '', 80, EINVAL",
    "empty service, 10.1.1.1, '', EINVAL",
    "other family, 2001:db8::1, 80, EINVAL",
    "not text, fi_nonsense://1, , EINVAL",
    "text of another format, fi_sockaddr_in6://[::1]:80, , EINVAL",
    "text without port, fi_sockaddr_in://10.1.1.1, , EADDRNOTAVAIL",
    "unprintable format, fi_addr_mlx://1, , ENOSYS",
  })
  void addressesThatFail(String what, String node, String service, Errno errno) {
    assertThat(what).isNotBlank();
    Insertion insertion = vector.insertService(node, service, InsertOptions.none());
    assertThat(insertion.result()).isZero();
    assertThat(insertion.handles()).containsExactly(NA);
    assertThat(insertion.error(0)).isEqualTo(errno.number());
    assertThat(insertion.failures().getFirst().reason()).isNotBlank();
    MemorySegment handles = longs(0x55);
    MemorySegment errors = MemorySegment.ofArray(new int[] {-1});
    assertThat(
            vector.insertService(node, service, handles, errors, InsertFlag.SYNC_ERR.mask(), null))
        .isZero();
    assertThat(longs(handles)).containsExactly(NA);
    assertThat(ints(errors)).containsExactly(errno.number());
    fails(errno, () -> vector.insertService(node, service));
    assertThat(vector.size()).isZero();
  }

  @Test
  @Tag("AV-113")
  @Tag("AV-119")
  @Tag("AV-122")
  void callsThatAreWrongAsAWhole() {
    fails(Errno.EINVAL, () -> vector.insertService(null, "80"));
    fails(Errno.EINVAL, () -> vector.insertService("10.1.1.1", null));
    fails(Errno.EINVAL, () -> vector.insertService("fi_sockaddr_in://10.2.2.2:99", "1"));
    fails(Errno.EINVAL, () -> vector.insertService("10.1.1.1", "80", null));
    fails(Errno.EINVAL, "\"host\"", () -> vector.insertSymmetric("host", 2, "80", 1));
    fails(Errno.EINVAL, () -> vector.insertSymmetric("10.1.1.1", -1, "80", 1));
    fails(Errno.EINVAL, () -> vector.insertSymmetric("10.1.1.1", 1, "80", -1));
    fails(Errno.EINVAL, () -> vector.insertSymmetric("10.1.1.1", 65_536, "80", 32_768));
    fails(Errno.EINVAL, () -> vector.insertSymmetric(null, 1, "80", 1));
    fails(Errno.EINVAL, () -> vector.insertSymmetric("10.1.1.1", 1, null, 1));
    fails(
        Errno.EINVAL,
        () -> vector.insertSymmetric("10.1.1.1", 2, "80", 2, longs(1, 2, 3), null, 0, null));
    assertThat(vector.insertSymmetric("host", 0, "80", 4).requested()).isZero();
    assertThat(vector.insertSymmetric("host1", 4, "80", 0).requested()).isZero();
    assertThat(asked).isEmpty();
    assertThat(vector.size()).isZero();
  }

  @Test
  @Tag("AV-112")
  void wholeAddressAsNode() {
    assertThat(vector.insertService("fi_sockaddr_in://10.2.2.2:99", null)).isZero();
    assertThat(vector.insertService("fi_sockaddr://10.2.2.3:99", null)).isEqualTo(1);
    assertThat(contents(vector, 2))
        .isEqualTo(uris("fi_sockaddr_in://10.2.2.2:99", "fi_sockaddr_in://10.2.2.3:99"));
    CoreAddressVector old = open(TestInfo.defaults().version(1, 4), VectorOptions.table());
    fails(Errno.EINVAL, () -> old.insertService("fi_sockaddr_in://10.2.2.2:99", null));
    fails(Errno.EINVAL, () -> old.insertService("fi_sockaddr_in://10.2.2.2:99", "1"));
  }

  @Test
  void textVectorsTakeNodesAsText() {
    CoreAddressVector texts =
        open(
            TestInfo.defaults().format(AddressFormat.STR),
            VectorOptions.table().withResolver(this::resolve));
    texts.insertService("FI_SOCKADDR_IN://10.2.2.2:99", null);
    texts.insertService("10.2.2.3", "99");
    texts.insertService("host7", "99");
    fails(Errno.EINVAL, () -> texts.insertService("fi_nonsense://", null));
    assertThat(contents(texts, 3))
        .containsExactly(
            new TextAddress("FI_SOCKADDR_IN://10.2.2.2:99"),
            new TextAddress("fi_sockaddr_in://10.2.2.3:99"),
            new TextAddress("fi_sockaddr_in6://[2001:db8::7]:99"));
  }

  @Test
  void formatsWithoutNodes() {
    CoreAddressVector psm =
        open(TestInfo.defaults().format(AddressFormat.PSMX2), VectorOptions.table());
    fails(Errno.ENOSYS, "PSMX2", () -> psm.insertService("10.1.1.1", "80"));
    fails(Errno.ENOSYS, "PSMX2", () -> psm.insertSymmetric("10.1.1.1", 1, "80", 1));
    assertThat(psm.insertService("fi_addr_psmx2://1234abcd:ff", null)).isZero();
    assertThat(psm.lookup(0)).isEqualTo(uri("fi_addr_psmx2://1234abcd:ff"));
  }

  @Test
  @Tag("AV-109")
  void localhostByTheSystem() {
    CoreAddressVector system = table();
    assertThat(system.insertService("localhost", "http")).isZero();
    assertThat(system.lookup(0)).isEqualTo(uri("fi_sockaddr_in://127.0.0.1:80"));
  }

  @Test
  @DisplayName("A14: a thousand names resolve side by side; those that fail do not stop the others")
  void manyNames() {
    CountDownLatch together = new CountDownLatch(16); // each waits for others to be asked beside it
    AddressResolver slow =
        host -> {
          together.countDown();
          together.await();
          int number = Integer.parseInt(host.substring(4));
          if (number % 100 == 0) {
            throw new UnknownHostException(host);
          }
          return List.of(InetAddress.ofLiteral("10.9." + number / 256 + "." + number % 256));
        };
    CoreAddressVector many = open(TestInfo.defaults(), VectorOptions.table().withResolver(slow));
    Insertion insertion = many.insertSymmetric("node0001", 1000, "5000", 1);
    assertThat(insertion.inserted()).isEqualTo(990);
    assertThat(insertion.failures()).hasSize(10);
    assertThat(insertion.failures().getFirst().address()).isEqualTo("node0100:5000");
    assertThat(many.lookup(insertion.handle(998)))
        .isEqualTo(uri("fi_sockaddr_in://10.9.3.231:5000"));
  }

  @Test
  @Tag("AV-006")
  @DisplayName("While a resolver sleeps, everybody else gets on")
  void nobodyWaitsForTheResolver() throws InterruptedException {
    CountDownLatch resolving = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    CoreAddressVector slow =
        open(
            TestInfo.defaults(),
            VectorOptions.table()
                .withResolver(host -> {
                  resolving.countDown();
                  gate.await();
                  return List.of(InetAddress.ofLiteral("10.9.9.9"));
                }));
    slow.insert(a(1));
    Thread inserter = Thread.startVirtualThread(() -> slow.insertService("slow", "80"));
    resolving.await();
    // The resolver sleeps until all of this is done.
    assertThat(slow.lookup(0)).isEqualTo(a(1));
    assertThat(slow.find(a(1))).isZero();
    assertThat(slow.insert(a(2))).isEqualTo(1);
    slow.remove(0);
    assertThat(slow.insert(a(3))).isZero();
    gate.countDown();
    inserter.join();
    assertThat(slow.lookup(2)).isEqualTo(uri("fi_sockaddr_in://10.9.9.9:80"));
  }

  @Test
  void nameOutOfTime() {
    CoreAddressVector slow =
        open(
            TestInfo.defaults(),
            VectorOptions.table()
                .withResolutionTimeout(Duration.ofMillis(50))
                .withResolver(host -> {
                  Thread.sleep(20_000);
                  return List.of();
                }));
    fails(Errno.ENODATA, "did not resolve within", () -> slow.insertService("slow", "80"));
    assertThat(slow.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("A caller that is interrupted, or overtaken by close, has inserted nothing")
  void interruptedOrClosedWhileResolving(boolean interrupt) throws InterruptedException {
    CountDownLatch resolving = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    CoreAddressVector slow =
        open(
            TestInfo.defaults(),
            VectorOptions.table()
                .withResolver(host -> {
                  resolving.countDown();
                  gate.await();
                  return List.of(InetAddress.ofLiteral("10.9.9.9"));
                }));
    AtomicReference<Errno> errno = new AtomicReference<>();
    AtomicReference<Boolean> flag = new AtomicReference<>();
    Thread inserter =
        Thread.startVirtualThread(() -> {
          try {
            slow.insertService("slow", "80");
          } catch (FabricException e) {
            errno.set(e.errno());
          }
          flag.set(Thread.currentThread().isInterrupted());
        });
    resolving.await();
    if (interrupt) {
      inserter.interrupt();
    } else {
      slow.close();
      gate.countDown();
    }
    inserter.join();
    assertThat(errno).hasValue(interrupt ? Errno.ECANCELED : Errno.EINVAL);
    assertThat(flag).hasValue(interrupt);
    gate.countDown();
  }
}
