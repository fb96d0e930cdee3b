/** The ofi4j command. */
@org.jspecify.annotations.NullMarked
module org.ofi4j.cli {
  requires info.picocli;
  requires org.ofi4j.api;
  requires static org.jspecify;

  opens org.ofi4j.cli to
      info.picocli;
}
