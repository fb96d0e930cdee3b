// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.Transmitter;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;

/** Sends, reads and writes over TCP: from the kit to the connection of a peer. */
final class TcpTransmitter implements Transmitter {
  private static final long WRITE_FLAGS = SEND_FLAGS | TransferFlag.COMMIT_COMPLETE.mask();

  private final MessageTransport transport;
  private final TransmitContext context;

  // The peer of the operation that was taken and is being filled in; guarded by the lock.
  private @Nullable Peer target;

  TcpTransmitter(MessageTransport transport, TransmitContext context) {
    this.transport = transport;
    this.context = context;
  }

  TransmitContext context() {
    return context;
  }

  @Override
  public long flags(CounterFlag what) {
    return switch (what) {
      case READ -> READ_FLAGS;
      case WRITE -> WRITE_FLAGS;
      default -> SEND_FLAGS;
    };
  }

  @Override
  public void lock() {
    transport.lock();
  }

  @Override
  public void unlock() {
    transport.unlock();
  }

  @Override
  public @Nullable Operation take(CounterFlag what, boolean tagged, long peer) {
    target = transport.target(peer);
    return context.take(what, tagged);
  }

  @Override
  @SuppressWarnings("NullAway") // the target was found when the operation was taken
  public void post(Operation operation) {
    Send send = (Send) operation;
    send.prepare();
    transport.post(send, target);
  }

  @Override
  public long outstanding() {
    return context.outstanding();
  }
}
