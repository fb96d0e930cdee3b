// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;

/**
 * One side of many connections between two processes: the server, which sends back each request, or
 * all clients together. One thread calls it.
 */
interface Crowd extends AutoCloseable {
  /** The bytes of a request and of its answer. */
  int SIZE = 64;

  /** Opens the server; returns the name by which clients find it: one word. */
  String listen() throws IOException;

  /**
   * Opens more clients of the server of that name.
   *
   * @return the names of the clients, separated by commas, if the server has to know them
   */
  String gather(int clients, String server) throws IOException;

  /** Makes clients known to the server. */
  void admit(String names);

  /** Sends back each of the given number of requests; reports when the first may come. */
  void serve(int count, Runnable ready) throws InterruptedException;

  /** Sends requests from all clients in turn, of which 64 are under way; awaits the answers. */
  void request(int count) throws InterruptedException;

  @Override
  void close();
}
