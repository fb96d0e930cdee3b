// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.address.ServicePort;

/**
 * Those addresses of a symmetric insertion that exist: a box within the table of nodes and
 * services. What is outside of it fails by itself (AV-123): the any-address and port zero, where a
 * range may begin, and what lies beyond the last port and the last address.
 *
 * <pre>
 *                       services
 *                0 .. firstService .. endService ..
 *   nodes   0
 *   firstNode           +-----------------+
 *                       |   addresses     |
 *   endNode             +-----------------+
 * </pre>
 *
 * Positions of the call go through the whole table, positions in the box through the box alone,
 * both all services of one node before the next node.
 *
 * @param firstNode the first node in the box
 * @param endNode one more than the last
 * @param firstService the first service in the box
 * @param endService one more than the last
 * @param ranges the addresses in the box, in ranges one behind the other
 */
public record SymmetricBox(
    int nodes,
    int services,
    int firstNode,
    int endNode,
    int firstService,
    int endService,
    List<AddressRange> ranges) {

  /**
   * The box of a call.
   *
   * @param firstNode 1 if the first node is the any-address, else 0
   * @param nodes how many nodes, at least 1
   * @param port the first port
   * @param services how many services, at least 1
   * @return the box, or null if there is none
   */
  static @Nullable SymmetricBox of(
      NodeRange.Numeric numbers, int firstNode, int nodes, int port, int services) {
    int endNode = numbers.reach(nodes);
    int firstService = port == 0 ? 1 : 0;
    int endService = Math.min(services, ServicePort.MAX + 1 - port);
    if (firstNode >= endNode || firstService >= endService) {
      return null;
    }
    List<AddressRange> ranges =
        numbers.ranges(firstNode, endNode, port + firstService, endService - firstService);
    return ranges.isEmpty()
        ? null
        : new SymmetricBox(nodes, services, firstNode, endNode, firstService, endService, ranges);
  }

  /** How many addresses the call names. */
  public int count() {
    return nodes * services;
  }

  private int width() {
    return endService - firstService;
  }

  /** The position in the box of a position of the call, or -1 if it is outside. */
  public int inside(int position) {
    int node = position / services;
    int service = position - node * services;
    return node >= firstNode && node < endNode && service >= firstService && service < endService
        ? (node - firstNode) * width() + service - firstService
        : -1;
  }

  /** The position of the call of a position in the box. */
  public int outside(int inside) {
    int node = inside / width();
    return (firstNode + node) * services + firstService + inside - node * width();
  }

  /** How many positions of the box come before a position of the call. */
  public int before(int position) {
    int node = position / services;
    if (node < firstNode) {
      return 0;
    }
    if (node >= endNode) {
      return (endNode - firstNode) * width();
    }
    int service = Math.clamp(position - node * services, firstService, endService);
    return (node - firstNode) * width() + service - firstService;
  }

  /**
   * How far the positions of the call go on as one of them does, inside the box or outside.
   *
   * @param position a position of the call
   * @return the first one behind it that is on the other side, or in another row of a box that has
   *     gaps between its rows; else {@link #count}
   */
  public int rowEnd(int position) {
    int node = position / services;
    int row = node * services;
    if (node < firstNode) {
      return firstNode * services;
    }
    if (node >= endNode) {
      return count();
    }
    if (width() == services) {
      return endNode * services;
    }
    int service = position - row;
    if (service < firstService) {
      return row + firstService;
    }
    return row + (service < endService ? endService : services);
  }
}
