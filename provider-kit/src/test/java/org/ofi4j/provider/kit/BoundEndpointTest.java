// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.CounterFlag;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.core.queue.CoreCounter;
import org.ofi4j.core.queue.ProgressEngine;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;

/** The steps of opening and closing an endpoint of any provider, and their order. */
class BoundEndpointTest {
  private static final FabricAddress OWN = FabricAddress.parse("fi_sockaddr_in://192.0.2.1:1");
  private static final FabricAddress WANTED = FabricAddress.parse("fi_sockaddr_in://192.0.2.2:2");

  /** Moves nothing. */
  private static final class Engine implements ProgressEngine {
    @Override
    public void progress() {}

    @Override
    public void progressIfDue(boolean atOnce) {}

    @Override
    public void await(long nanoseconds) {}

    @Override
    public void wake() {}

    @Override
    public void roomAgain() {}

    @Override
    public void close() {}
  }

  /** Is reached somewhere, and has no data. */
  private final class Silent implements OpenEndpoint {
    @Override
    public FabricAddress name() {
      return OWN;
    }

    @Override
    public void close() {
      told.add("closed");
    }
  }

  private final class Opened extends BoundEndpoint<TestDomain, Silent> {
    private @Nullable Binding out;
    private @Nullable Binding in;

    private Opened() {
      super(domain, domain.lifetime(), INFO, "context");
    }

    @Override
    protected FabricInfo at(FabricAddress address) {
      return info().withSource(address);
    }

    @Override
    protected Silent open(@Nullable Binding transmit, @Nullable Binding receive) {
      vector();
      out = transmit;
      in = receive;
      told.add("opened");
      return new Silent();
    }

    @Override
    protected void begin(Silent ready) {
      told.add("began");
      if (beginFails) {
        throw new IllegalStateException("cannot begin");
      }
    }

    @Override
    protected void neverOpened() {
      told.add("never opened");
    }

    @Override
    protected boolean isContentWithCounters() {
      return true;
    }

    @Override
    protected long outstandingTransmits(Silent present) {
      return 3;
    }

    @Override
    protected long outstandingReceives(Silent present) {
      return 4;
    }
  }

  private static final FabricInfo INFO =
      TestInfo.defaults().capabilities(Capability.SEND, Capability.RECEIVE).build();

  private final TestDomain domain =
      TestDomain.of(TestInfo.defaults().capabilities(Capability.SEND, Capability.RECEIVE));
  private final CoreAddressVector vector = domain.openAddressVector(VectorOptions.table());
  private final Engine engine = new Engine();
  private final CoreCompletionQueue queue =
      new CoreCompletionQueue(domain, domain.lifetime(), CompletionQueueOptions.defaults(), engine);
  private final List<String> told = new ArrayList<>();
  private boolean beginFails;

  private Opened open(EndpointOptions options) {
    return BoundEndpoint.opened(new Opened(), options);
  }

  private void closeAll() {
    vector.close();
    queue.close();
    domain.close();
  }

  @Test
  @Tag("AV-016")
  @DisplayName("An endpoint is opened, begins, and is closed, and holds until then what is bound")
  void whole() {
    Opened endpoint = open(EndpointOptions.of(vector, queue));

    assertThat(told).containsExactly("opened", "began");
    assertThat(endpoint.domain()).isSameAs(domain);
    assertThat(endpoint.context()).isEqualTo("context");
    assertThat(endpoint.address()).isEqualTo(OWN);
    assertThatThrownBy(vector::close).isInstanceOf(FabricBusyException.class);
    assertThatThrownBy(queue::close).isInstanceOf(FabricBusyException.class);

    endpoint.close();
    assertThat(told).containsExactly("opened", "began", "closed");
    assertThatThrownBy(endpoint::address).hasMessageContaining("is closed");
    closeAll();
  }

  @Test
  @DisplayName("The domain stays open as long as an endpoint to which nothing of it is bound")
  void domainIsHeld() {
    Opened unbound = new Opened();
    vector.close();
    queue.close();

    assertThatThrownBy(domain::close).isInstanceOf(FabricBusyException.class);
    unbound.close();
    domain.close();
  }

  @Test
  @DisplayName("The source in the options becomes that of the information")
  void source() {
    Opened endpoint = open(EndpointOptions.of(vector, queue).withAddress(WANTED));

    assertThat(endpoint.info().source()).isEqualTo(WANTED);
    assertThat(endpoint.info().withSource(INFO.source())).isEqualTo(INFO);
  }

  @Test
  @Tag("AV-211")
  @DisplayName("An endpoint without a queue or vector is refused, and lets go of everything")
  void incomplete() {
    refused(EndpointOptions.none().withVector(vector), Errno.ENOCQ);
    refused(EndpointOptions.none().withVector(vector).withTransmitQueue(queue), Errno.ENOCQ);
    refused(EndpointOptions.none().withQueue(queue), Errno.ENOAV);
    closeAll();
  }

  private void refused(EndpointOptions options, Errno errno) {
    told.clear();
    assertThatThrownBy(() -> open(options))
        .isInstanceOfSatisfying(
            FabricException.class, refusal -> assertThat(refusal.errno()).isEqualTo(errno));
    assertThat(told).containsExactly("never opened");
  }

  @Test
  @DisplayName("What cannot begin is closed as an open endpoint is")
  void cannotBegin() {
    beginFails = true;

    assertThatThrownBy(() -> open(EndpointOptions.of(vector, queue))).hasMessage("cannot begin");

    assertThat(told).containsExactly("opened", "began", "closed");
    closeAll();
  }

  @Test
  @DisplayName("Objects of another domain are not bound")
  void otherDomain() {
    TestDomain other = TestDomain.of(TestInfo.defaults());
    CoreAddressVector foreign = other.openAddressVector(VectorOptions.table());

    assertThatThrownBy(() -> open(EndpointOptions.of(foreign, queue)))
        .isInstanceOfSatisfying(
            FabricException.class, refusal -> assertThat(refusal.errno()).isEqualTo(Errno.EINVAL));
    foreign.close();
    closeAll();
  }

  @Test
  @DisplayName("Both directions count in one place, with the engines of queues and counters")
  void reports() {
    Engine counting = new Engine();
    CoreCounter counter = new CoreCounter(domain, domain.lifetime(), null, counting);
    Opened endpoint =
        open(
            EndpointOptions.none()
                .withVector(vector)
                .withSelectiveTransmitQueue(queue)
                .withMoreCounters(counter, CounterFlag.RECEIVE));
    Binding out = Objects.requireNonNull(endpoint.out);
    Binding in = Objects.requireNonNull(endpoint.in);

    assertThat(out.selective()).isTrue();
    assertThat(out.requiredQueue()).isSameAs(queue);
    assertThat(in.queue()).as("content with a counter").isNull();
    assertThat(Binding.engines(out, in)).containsOnly(engine, counting);
    assertThat(Binding.engines(null, in)).containsExactly(counting);

    Counters counters = Binding.counters(out, in);
    counters.succeeded(CounterFlag.RECEIVE, 10);
    counters.count(CounterFlag.RECEIVE, false);
    counters.failed(CounterFlag.SEND);
    counters.count(CounterFlag.SEND, true);

    assertThat(counter.read()).isEqualTo(1);
    assertThat(counter.readErrors()).as("no counter for sends").isZero();
    assertThat(endpoint.statistics().receives().bytes()).isEqualTo(10);
    assertThat(endpoint.statistics().sends().failed()).isEqualTo(1);
    assertThat(endpoint.statistics().outstandingTransmits()).isEqualTo(3);
    assertThat(endpoint.statistics().outstandingReceives()).isEqualTo(4);
  }
}
