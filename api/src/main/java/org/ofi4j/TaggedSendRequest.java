// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code struct fi_msg_tagged} of {@code fi_tsendmsg}, fi_tagged(3): a tagged message, and all
 * about sending it.
 *
 * {@snippet class="examples.Messages" region="tagged"}
 */
public final class TaggedSendRequest extends OutgoingRequest<TaggedSendRequest> {
  private long tag;

  /** A request that says nothing yet; its tag is 0. */
  public TaggedSendRequest() {}

  @Override
  TaggedSendRequest self() {
    return this;
  }

  /**
   * The tag of the message.
   *
   * @param value what receives are chosen by
   * @return this
   */
  public TaggedSendRequest tag(long value) {
    tag = value;
    return this;
  }

  @Override
  public TaggedSendRequest clear() {
    tag = 0;
    return super.clear();
  }

  /** {@return the tag} */
  public long tag() {
    return tag;
  }

  @Override
  String fields() {
    return "tag=0x" + Long.toHexString(tag) + ", " + super.fields();
  }
}
