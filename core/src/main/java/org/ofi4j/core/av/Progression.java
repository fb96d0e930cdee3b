package org.ofi4j.core.av;

/**
 * The arithmetic of addresses in rows and columns; nothing but numbers.
 *
 * <pre>
 *   position:   0      1      2   ...  inner - 1        columns go along the ports of a node,
 *             inner  inner+1  ...                       rows along nodes, or the other way round
 * </pre>
 *
 * <p>A node is an address without its port. Steps may be negative; a step of 0 says that there is
 * nothing in that direction.
 */
final class Progression {
  /** The length of rows where there is one row only. */
  static final int ONE_ROW = Integer.MAX_VALUE;

  private Progression() {}

  /** How far the node at a position is from the first one. */
  static long nodeDelta(int position, int nodeStep, int inner, boolean portsFirst) {
    int row = position < inner ? 0 : position / inner;
    return (long) (portsFirst ? row : position - row * inner) * nodeStep;
  }

  /** How far the port at a position is from the first one. */
  static int portDelta(int position, int portStep, int inner, boolean portsFirst) {
    int row = position < inner ? 0 : position / inner;
    return (portsFirst ? position - row * inner : row) * portStep;
  }

  /**
   * Where an address is.
   *
   * @param nodeDelta how far its node is from the first one
   * @param nodeStep from node to node
   * @param portDelta how far its port is from the first one
   * @param portStep from port to port
   * @param inner the length of rows
   * @param portsFirst whether rows go along ports
   * @return its position from 0, not bounded by a count; -1 if it is nowhere
   */
  static long position(
      long nodeDelta, int nodeStep, int portDelta, int portStep, int inner, boolean portsFirst) {
    long node = steps(nodeDelta, nodeStep);
    long port = steps(portDelta, portStep);
    long column = portsFirst ? port : node;
    long row = portsFirst ? node : port;
    if ((column | row) < 0 || column >= inner || row > Integer.MAX_VALUE) {
      return -1;
    }
    return row * inner + column;
  }

  /** How many steps make a distance; negative if none do. */
  private static long steps(long delta, int step) {
    if (step == 1) {
      return delta;
    }
    if (delta == 0) {
      return 0;
    }
    if (step == 0) {
      return -1;
    }
    long steps = delta / step;
    return steps * step == delta ? steps : -1;
  }
}
