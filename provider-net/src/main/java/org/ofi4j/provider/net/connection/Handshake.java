// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.security.KeyDialogue;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.ExtensionBlock;
import org.ofi4j.provider.net.wire.ProtocolException;

/** What an endpoint says of itself in its connection messages. For one thread at a time. */
public final class Handshake {
  // Not 0, and another one for each endpoint; C programs have their process id.
  private final int incarnation = ThreadLocalRandom.current().nextInt() | 1;
  private final int port;
  private ExtensionBlock block;
  private Agreement last = Agreement.NONE;
  private final ConnectionMessage message = new ConnectionMessage();
  private final ByteBuffer out = ByteBuffer.allocateDirect(ConnectionMessage.MAX_SIZE);

  /**
   * For one endpoint.
   *
   * @param block what it says beyond libfabric's protocol, which C programs do not look at
   */
  public Handshake(int port, ExtensionBlock block) {
    this.port = port;
    this.block = block;
  }

  /** Says from now on how much room there is for messages of one peer that come early. */
  public void room(long bytes) {
    block = block.withRoom(bytes);
  }

  /**
   * Asks a peer to which TCP has connected.
   *
   * @param dialogue says which key is meant, or is null without keys
   */
  void request(WritableByteChannel channel, @Nullable KeyDialogue dialogue) throws IOException {
    ask(channel, ConnectionMessage.Type.REQUEST, dialogue);
  }

  /** Asks once more, and proves that we hold the key. */
  void confirm(WritableByteChannel channel, KeyDialogue dialogue) throws IOException {
    ask(channel, ConnectionMessage.Type.CONFIRMATION, dialogue);
  }

  private void ask(
      WritableByteChannel channel, ConnectionMessage.Type kind, @Nullable KeyDialogue dialogue)
      throws IOException {
    message.set(kind, ConnectionMessage.VERSION, 0, port, incarnation);
    message.add(block(dialogue));
    message.writeTo(channel, out, dialogue);
  }

  private ExtensionBlock block(@Nullable KeyDialogue dialogue) {
    return dialogue == null ? block : block.withKeyPart(dialogue.keyPart());
  }

  /** Proves to the initiator that we hold the key, and wants the same of it. */
  void challenge(WritableByteChannel channel, ConnectionMessage request, KeyDialogue dialogue)
      throws IOException {
    message.answer(request, ConnectionMessage.Type.CHALLENGE, incarnation);
    message.add(block(dialogue));
    message.writeTo(channel, out, dialogue);
  }

  /**
   * Accepts a request.
   *
   * @param its what the request says beyond libfabric's protocol, if it does
   * @param dialogue has proven the initiator, or is null without keys
   * @return what is agreed on now
   */
  Agreement accept(
      WritableByteChannel channel,
      ConnectionMessage request,
      @Nullable ExtensionBlock its,
      @Nullable KeyDialogue dialogue)
      throws IOException {
    message.answer(request, ConnectionMessage.Type.RESPONSE, incarnation);
    if (its != null) {
      message.add(block(dialogue));
    }
    message.writeTo(channel, out, dialogue);
    return agreed(its);
  }

  /**
   * Takes the response to a request.
   *
   * @return what is agreed on now
   */
  Agreement accepted(ConnectionMessage response) throws ProtocolException {
    return agreed(response.extension());
  }

  private Agreement agreed(@Nullable ExtensionBlock its) {
    Agreement agreed = Agreement.of(block, its, last);
    last = agreed;
    return agreed;
  }

  /** Says to {@code ofi_rxm} that a connection is not wanted. */
  void refuseRxm(WritableByteChannel channel) throws IOException {
    message.refuseRxm();
    message.writeTo(channel, out);
  }

  void refuse(WritableByteChannel channel, ConnectionMessage request) throws IOException {
    message.answer(request, ConnectionMessage.Type.REFUSAL, request.incarnation());
    message.writeTo(channel, out);
  }
}
