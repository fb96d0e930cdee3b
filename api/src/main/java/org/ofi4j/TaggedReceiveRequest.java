// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code struct fi_msg_tagged} of {@code fi_trecvmsg}, fi_tagged(3): which tagged message is to be
 * received, and how.
 */
public final class TaggedReceiveRequest extends IncomingRequest<TaggedReceiveRequest> {
  private TagPattern pattern = TagPattern.any();

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
    pattern = Arguments.required(tags, "tags");
    return this;
  }

  @Override
  public TaggedReceiveRequest clear() {
    pattern = TagPattern.any();
    return super.clear();
  }

  /** {@return which tags a message may have} */
  public TagPattern pattern() {
    return pattern;
  }
}
