package org.ofi4j.benchmarks;

/** This library, in a JVM that does nothing but the work that it is for. */
final class Ofi4jContender implements Contender {
  private final FreshJvmProcess process;
  private final String loading;
  private String loaded = "";

  /**
   * Takes over a JVM.
   *
   * @param process the JVM, which has done nothing yet
   * @param rounds how many rounds there will be
   * @param nanos how long it warms up for each work with few peers
   * @param before in how many rounds with all
   */
  Ofi4jContender(FreshJvmProcess process, int rounds, long nanos, int before) {
    this.process = process;
    this.loading = rounds + " " + nanos + " " + before;
  }

  @Override
  public Side side() {
    return Side.OFI4J;
  }

  /** Does nothing if that is loaded already. */
  @Override
  public void load(RoundWork work, int peers) {
    String wanted = "load " + peers + " " + work.name();
    if (!wanted.equals(loaded)) {
      process.tell(wanted + " " + loading);
      loaded = wanted;
    }
  }

  @Override
  public void round(int number, FigureSink figures) {
    process.tell("round " + number, figures);
  }

  @Override
  public void close() {
    process.close();
  }
}
