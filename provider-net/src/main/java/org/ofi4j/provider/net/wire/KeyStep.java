// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

import java.nio.charset.StandardCharsets;

/**
 * The four messages by which two endpoints find out that they hold the same key, in their order.
 * Each ends with an HMAC-SHA-256 under that key; that of a request, from which the other side tells
 * which key is meant, is cut to {@value #HINT} bytes.
 */
public enum KeyStep {
  /** Says which key is meant, to those who hold it. */
  REQUEST(ConnectionMessage.Type.REQUEST, KeyStep.NONCE, KeyStep.HINT, "ofi4j hint"),

  /** Proves that who was asked holds the key. */
  CHALLENGE(ConnectionMessage.Type.CHALLENGE, KeyStep.NONCE, KeyStep.PROOF, "ofi4j accept"),

  /** Proves that the initiator holds the key. */
  CONFIRMATION(ConnectionMessage.Type.CONFIRMATION, 0, KeyStep.PROOF, "ofi4j connect"),

  /** Frames may flow. */
  RESPONSE(ConnectionMessage.Type.RESPONSE, 0, KeyStep.PROOF, "ofi4j open");

  /** Bytes that are never the same twice. */
  static final int NONCE = 32;

  static final int HINT = 16;

  /** Bytes of a whole HMAC. */
  static final int PROOF = 32;

  private final ConnectionMessage.Type message;
  private final int nonce;
  private final int tag;
  private final String label;

  KeyStep(ConnectionMessage.Type message, int nonce, int tag, String label) {
    this.message = message;
    this.nonce = nonce;
    this.tag = tag;
    this.label = label + "\0";
  }

  public ConnectionMessage.Type message() {
    return message;
  }

  /** How long its nonce is; 0 if it has none. */
  public int nonce() {
    return nonce;
  }

  /** How many bytes of the HMAC it has, at the end of the message. */
  public int tag() {
    return tag;
  }

  /** How long the key part of its message is. */
  public int keyPart() {
    return nonce + tag;
  }

  /** What the HMAC begins with, so that no proof can pass for one of another step. */
  public byte[] label() {
    return label.getBytes(StandardCharsets.US_ASCII);
  }

  /** The step after it; the last one has none. */
  public KeyStep next() {
    return switch (this) {
      case REQUEST -> CHALLENGE;
      case CHALLENGE -> CONFIRMATION;
      case CONFIRMATION -> RESPONSE;
      case RESPONSE -> throw new IllegalStateException("nothing comes after a response");
    };
  }
}
