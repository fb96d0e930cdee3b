// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Receiver;
import org.ofi4j.provider.kit.ScalableTransport;
import org.ofi4j.provider.kit.Transmitter;
import org.ofi4j.provider.kit.Transport;
import org.ofi4j.provider.net.endpoint.NetResources;
import org.ofi4j.provider.net.matching.Receiving;
import org.ofi4j.provider.net.progress.AutomaticProgress;
import org.ofi4j.provider.net.progress.Engines;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.progress.ProgressThread;
import org.ofi4j.provider.net.transfer.TransmitContext;

/** A scalable endpoint over TCP: the traffic of a reliable one, which all contexts share. */
public final class ScalableRdmTransport implements ScalableTransport {
  /** One context: a direction of the shared traffic, moved by the readers of its own queue too. */
  private static final class Context implements Transport {
    private final RdmTransport shared;
    private final List<NetProgress> engines;
    private final int index;
    private final @Nullable TcpTransmitter transmitter;
    private final @Nullable TcpReceiver receiver;

    Context(RdmTransport shared, int index, EndpointOpening opening) {
      this.shared = shared;
      this.index = index;
      engines = Engines.of(opening).toList();
      FabricInfo info = opening.info();
      if (opening.sends() == null) {
        transmitter = null;
        receiver = shared.open(index, Objects.requireNonNull(opening.receives()), info);
        receiver.leaveRest(opening.minMultiReceive());
      } else {
        opening.sends().wakeThrough(shared.endpoint.wakeups());
        TransmitContext sends = new TransmitContext(opening.sends(), info.transmit().size());
        shared.open(sends);
        transmitter = new TcpTransmitter(shared, sends);
        receiver = null;
      }
    }

    @Override
    public FabricAddress name() {
      return shared.name();
    }

    @Override
    public @Nullable Transmitter transmitter() {
      return transmitter;
    }

    @Override
    public @Nullable Receiver receiver() {
      return receiver;
    }

    @Override
    public void begin() {
      shared.endpoint.engines().add(engines);
    }

    @Override
    public void close() {
      try {
        if (transmitter != null) {
          shared.close(transmitter.context());
        } else {
          shared.close(index);
        }
      } finally {
        shared.endpoint.engines().remove(engines);
      }
    }
  }

  private final RdmTransport shared;

  // Moves the data also while no context has a queue; null if the readers of queues do.
  private final @Nullable AutomaticProgress mover;

  private ScalableRdmTransport(RdmTransport shared, @Nullable AutomaticProgress mover) {
    this.shared = shared;
    this.mover = mover;
  }

  /** Opens a scalable endpoint. */
  public static ScalableRdmTransport open(NetResources resources, EndpointOpening opening) {
    FabricInfo info = opening.info();
    int contexts = Math.max(info.endpoint().receiveContexts(), 1);
    Receiving receiving =
        info.has(Capability.RECEIVE) ? Receiving.scalable(opening.peers(), info, contexts) : null;
    RdmTransport shared = RdmTransport.open(resources, opening, receiving);
    ProgressThread thread = resources.progressThread();
    return new ScalableRdmTransport(shared, thread == null ? null : new AutomaticProgress(thread));
  }

  @Override
  public FabricAddress name() {
    return shared.name();
  }

  @Override
  public Transport openContext(int index, EndpointOpening opening) {
    return new Context(shared, index, opening);
  }

  @Override
  public void begin() {
    shared.begin();
    if (mover != null) {
      shared.endpoint.engines().add(List.of(mover));
    }
  }

  @Override
  public ConnectionStatistics connectionStatistics() {
    return shared.connectionStatistics();
  }

  @Override
  public void warmUp(long[] handles) {
    shared.warmUp(handles);
  }

  @Override
  public void close() {
    shared.close();
    if (mover != null) {
      mover.close();
    }
  }
}
