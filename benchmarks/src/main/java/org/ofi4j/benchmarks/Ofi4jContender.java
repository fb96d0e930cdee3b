package org.ofi4j.benchmarks;

/** This library, in a JVM that does nothing but the work that it is for. */
final class Ofi4jContender implements Contender {
  private final FreshJvmProcess process;
  private final String loading;

  /**
   * Takes over a JVM.
   *
   * @param process the JVM
   * @param rounds how many rounds there will be
   * @param warmUp what it does before
   */
  Ofi4jContender(FreshJvmProcess process, int rounds, WarmUp warmUp) {
    this.process = process;
    this.loading = rounds + " " + warmUp.nanos() + " " + warmUp.rounds();
  }

  @Override
  public Side side() {
    return Side.OFI4J;
  }

  /** Does nothing if the JVM has that loaded already. */
  @Override
  public void load(RoundWork work, int peers) {
    process.tell("load " + peers + " " + work.name() + " " + loading);
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
