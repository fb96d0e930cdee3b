// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * One address that could not be inserted.
 *
 * @param position its place in the call, from 0
 * @param address the address as text, as far as it could be read
 * @param errno why, as {@code FI_SYNC_ERR} and event queues report it
 * @param reason why, in words
 */
public record InsertionFailure(int position, String address, Errno errno, String reason) {
  @Override
  public String toString() {
    return Printable.line("address " + position + " \"" + address + "\": " + reason);
  }
}
