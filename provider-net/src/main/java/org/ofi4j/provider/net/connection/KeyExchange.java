// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.security.KeyDialogue;
import org.ofi4j.provider.net.security.KeyProofs;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.ExtensionBlock;
import org.ofi4j.provider.net.wire.KeyStep;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * What an endpoint with authorization keys says and hears before a connection opens; see {@link
 * KeyStep}. A request is refused if it names none of the keys, and it is judged, as all requests
 * are, when it has been confirmed and not before: so nobody who holds no key can replace a
 * connection or stand in the way of one. Guarded by the lock of the endpoint.
 */
record KeyExchange(Handshake handshake, KeyProofs proofs) {
  /** Begins a dialogue over a connection that we have opened. */
  void ask(Connection connection, Peer peer) throws IOException {
    connection.dialogue =
        new KeyDialogue(
            proofs,
            peer.authKey,
            connection.channel().getLocalAddress(),
            connection.channel().getRemoteAddress(),
            connection.secure());
  }

  /**
   * Takes what came over a connection that was opened to us.
   *
   * @return whether it has confirmed its request; if not, it has been challenged to do so
   * @throws UnprovenException if it does not hold one of our keys
   */
  boolean isConfirmed(
      Connection connection, ConnectionMessage message, @Nullable ExtensionBlock its)
      throws IOException {
    KeyDialogue dialogue = connection.dialogue;
    if (dialogue == null) {
      challenge(connection, message, its);
      return false;
    }
    prove(connection, dialogue, message);
    return true;
  }

  private void challenge(
      Connection connection, ConnectionMessage request, @Nullable ExtensionBlock its)
      throws IOException {
    check(KeyStep.REQUEST, request, its);
    KeyDialogue dialogue =
        new KeyDialogue(
            proofs,
            KeyDialogue.NO_KEY,
            connection.channel().getRemoteAddress(),
            connection.channel().getLocalAddress(),
            connection.secure());
    if (!dialogue.recognise(connection.greeting().bytes(), size(request))) {
      throw new UnprovenException("its authorization key is none that this endpoint holds");
    }
    connection.dialogue = dialogue;
    handshake.challenge(connection.out(), request, dialogue);
    connection.greeting().next();
  }

  /** The peer of a connection that we have opened has proven itself, and wants the same of us. */
  void confirm(Connection connection, ConnectionMessage challenge) throws IOException {
    KeyDialogue dialogue = dialogue(connection);
    check(dialogue.step(), KeyStep.CHALLENGE);
    prove(connection, dialogue, challenge);
    handshake.confirm(connection.out(), dialogue);
    connection.greeting().next();
  }

  /** The peer of a connection that we have opened accepts it. */
  void accepted(Connection connection, ConnectionMessage response) throws IOException {
    KeyDialogue dialogue = dialogue(connection);
    if (dialogue.step() != KeyStep.RESPONSE) {
      throw new UnprovenException(
          "it takes no authorization keys: it is an endpoint without, or of another program");
    }
    prove(connection, dialogue, response);
  }

  private static KeyDialogue dialogue(Connection connection) throws ProtocolException {
    KeyDialogue dialogue = connection.dialogue;
    if (dialogue == null) {
      throw new ProtocolException("it speaks of keys where there are none");
    }
    return dialogue;
  }

  private static void prove(Connection connection, KeyDialogue dialogue, ConnectionMessage message)
      throws IOException {
    check(dialogue.step(), message, message.extension());
    if (!dialogue.verify(connection.greeting().bytes(), size(message))) {
      throw new UnprovenException(
          "it does not prove that it holds the authorization key, or addresses are translated on"
              + " the way");
    }
  }

  private static int size(ConnectionMessage message) {
    return ConnectionMessage.HEADER + message.length();
  }

  private static void check(KeyStep present, KeyStep wanted) throws ProtocolException {
    if (present != wanted) {
      throw new ProtocolException("a " + wanted + " came where a " + present + " belongs");
    }
  }

  /** Refuses a message that is not that of a step, or has another key part. */
  static void check(KeyStep step, ConnectionMessage message, @Nullable ExtensionBlock its)
      throws ProtocolException {
    if (message.type() != step.message()) {
      throw new ProtocolException("a " + message.type() + " came where a " + step + " belongs");
    }
    if (its == null || !its.has(ExtensionBlock.AUTHORIZATION_KEY)) {
      throw new UnprovenException("it says nothing of an authorization key, which it must hold");
    }
    // The proof stands at the end of the message, and nothing is said behind it.
    if (its.keyPart().length != step.keyPart()
        || message.length() != ConnectionMessage.ENDPOINT_DATA + its.size()) {
      throw new ProtocolException(
          "a " + step + " came with " + message.length() + " bytes, which is no key part");
    }
  }
}
