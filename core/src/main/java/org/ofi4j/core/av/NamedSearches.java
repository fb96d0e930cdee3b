package org.ofi4j.core.av;

/**
 * Short searches in a named vector: {@link Ipv4Searches} in the file that was last seen to have its
 * entries, as long as it has them.
 */
final class NamedSearches implements ShortSearches {
  private final NamedLookups lookups;

  /**
   * Searches in a vector.
   *
   * @param lookups its short lookups
   */
  NamedSearches(NamedLookups lookups) {
    this.lookups = lookups;
  }

  @Override
  public int find(long address) {
    return lookups.find(address);
  }
}
