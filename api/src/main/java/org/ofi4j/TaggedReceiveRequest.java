// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.ofi4j.internal.Arguments;

/**
 * {@code struct fi_msg_tagged} of {@code fi_trecvmsg}, fi_tagged(3): which tagged message is to be
 * received, and how.
 */
public final class TaggedReceiveRequest extends IncomingRequest<TaggedReceiveRequest> {
  private long tag;
  private long ignored = -1;

  /** A request that says nothing yet: one message with any tag, from anybody. */
  public TaggedReceiveRequest() {}

  @Override
  TaggedReceiveRequest self() {
    return this;
  }

  /**
   * Which tags a message may have.
   *
   * @param tags {@link TagPattern#any} unless it is said
   * @return this
   */
  public TaggedReceiveRequest pattern(TagPattern tags) {
    tag = Arguments.required(tags, "tags").tag();
    ignored = tags.ignored();
    return this;
  }

  /**
   * The one tag that a message may have.
   *
   * @param value the tag
   * @return this
   */
  public TaggedReceiveRequest tag(long value) {
    tag = value;
    ignored = 0;
    return this;
  }

  @Override
  public TaggedReceiveRequest clear() {
    tag = 0;
    ignored = -1;
    return super.clear();
  }

  /** {@return the tag that a message must have, but for ignored bits} */
  public long tag() {
    return tag;
  }

  /** {@return bits of the tag that may differ} */
  public long ignored() {
    return ignored;
  }

  @Override
  String fields() {
    return "tag=0x%x, ignored=0x%x, ".formatted(tag, ignored) + super.fields();
  }
}
