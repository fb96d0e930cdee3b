// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Options never change, and refuse what no endpoint could do. */
class OptionsTest {
  private static void refused(Errno errno, ThrowingCallable call, String words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(errno))
        .hasMessageContaining(words);
  }

  @Test
  @DisplayName("A copy replaces one thing and leaves the rest, and what it was made of")
  void copies() {
    FabricAddress address = FabricAddress.parse("10.1.1.7:5000");
    EndpointOptions none = EndpointOptions.none();
    EndpointOptions some = none.withAddress(address).withMinMultiReceive(64).withContext("context");
    assertThat(none.address()).isNull();
    assertThat(some.address()).isEqualTo(address);
    assertThat(some.minMultiReceive()).isEqualTo(64);
    assertThat(some.withMinMultiReceive(0))
        .isEqualTo(none.withAddress(address).withContext("context"));
    assertThat(ScalableOptions.none().withAddress(address).address()).isEqualTo(address);
    assertThat(PassiveOptions.none().withBacklog(5).withAddress(address).backlog()).isEqualTo(5);
    assertThat(ContextOptions.none().withSize(3).withCapabilities(Capability.MSG).size())
        .isEqualTo(3);
    assertThat(
            SharedReceiveOptions.none().withMinMultiReceive(9).withContext("c").minMultiReceive())
        .isEqualTo(9);
  }

  @Test
  @DisplayName("Times of connections have least values")
  void times() {
    ConnectionOptions defaults = ConnectionOptions.defaults();
    refused(Errno.EINVAL, () -> defaults.withConnectTimeout(Duration.ZERO), "connectTimeout PT0S");
    refused(
        Errno.EINVAL, () -> defaults.withPeerTimeout(Duration.ofMillis(999)), "a second or more");
    refused(Errno.EINVAL, () -> defaults.withIdleTimeout(Duration.ofNanos(1)), "a millisecond");
    refused(Errno.EINVAL, () -> defaults.withEarlyMessages(null), "earlyMessages is null");
    assertThat(defaults.withIdleTimeout(Duration.ofSeconds(1)).peerTimeout())
        .isEqualTo(defaults.peerTimeout());
  }

  @Test
  @DisplayName("Numbers and flags that say nothing are refused in words")
  void numbers() {
    refused(Errno.EINVAL, () -> PassiveOptions.none().withBacklog(0), "backlog 0");
    refused(Errno.EINVAL, () -> PassiveOptions.none().withBacklog(65_537), "1 to 65536");
    refused(
        Errno.EINVAL,
        () -> PassiveOptions.none().withAnswerTimeout(Duration.ZERO),
        "answerTimeout PT0S");
    refused(Errno.EINVAL, () -> EndpointOptions.none().withMinMultiReceive(-1), "minMultiReceive");
    refused(Errno.EINVAL, () -> ContextOptions.none().withMinMultiReceive(-1), "minMultiReceive");
    refused(Errno.EINVAL, () -> SharedReceiveOptions.none().withMinMultiReceive(-1), "bytes");
    refused(Errno.EINVAL, () -> new QueueBinding(null, false), "queue is null");
    refused(Errno.EINVAL, () -> new CounterBinding(null, 1 << 8), "counter is null");
    refused(Errno.EINVAL, () -> EndpointOptions.none().withVector(null), "vector is null");
  }

  @Test
  @DisplayName("Memory is for anybody, for those under keys of a vector, or for one of them")
  void registering() {
    RegisterOptions options = RegisterOptions.of(Access.REMOTE_READ, Access.REMOTE_WRITE);
    assertThat(options.access()).isEqualTo(Access.REMOTE_READ.mask() | Access.REMOTE_WRITE.mask());
    assertThat(options.key()).isEmpty();
    assertThat(options.vector()).isNull();
    assertThat(options.withKey(0).key()).hasValue(0);
    refused(Errno.EINVAL, () -> options.withAuthKey(null, 1), "vector is null");
    refused(
        Errno.EINVAL,
        () ->
            new RegisterOptions(
                1, options.key(), null, RegisterOptions.ReachedBy.PEER, 5, false, "context"),
        "name it");
  }
}
