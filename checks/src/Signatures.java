// SPDX-License-Identifier: Apache-2.0
import module java.base;
import module java.compiler;

import com.sun.source.util.JavacTask;
import javax.lang.model.element.Modifier;
import javax.tools.ToolProvider;

/// Compares what the module api offers to everybody with a list in the repository, so that nothing
/// public comes, goes or changes unnoticed. It reads sources: the build begins here, when no class
/// is compiled yet.
///
/// Whatever is public or protected in an exported package has a line: types with the components of
/// records and what sealed types permit, fields with the values of constants, constructors and
/// methods with their type parameters and exceptions. Nullness stands in no line; names of
/// parameters neither; what every object or every enum has is left out.
///
/// Run by Maven from its source: `java Signatures.java check|write <sources> <list> <module path>`.
final class Signatures {

  /// Modifiers that users of an element know or do not care for.
  private static final Set<Modifier> UNNOTICED =
      Set.of(Modifier.PUBLIC, Modifier.NATIVE, Modifier.STRICTFP, Modifier.SYNCHRONIZED);

  private static final Set<String> OF_OBJECTS =
      Set.of("equals(Object)", "hashCode()", "toString()");
  private static final Set<String> OF_ENUMS = Set.of("values()", "valueOf(String)");

  private static final List<String> HEAD =
      List.of(
          "# What is public in the module org.ofi4j.api, held against its sources by each build.",
          "# To write it again: mvn -pl checks verify -Dsignatures.mode=write");

  private final Elements elements;
  private final Types types;
  private final SortedSet<String> lines = new TreeSet<>();

  private Signatures(JavacTask task) {
    this.elements = task.getElements();
    this.types = task.getTypes();
  }

  public static void main(String[] arguments) throws IOException {
    Path list = Path.of(arguments[2]);
    SortedSet<String> found = read(Path.of(arguments[1]), arguments[3]);
    if (arguments[0].equals("write")) {
      Files.write(list, Stream.concat(HEAD.stream(), found.stream()).toList());
      return;
    }
    var listed = new TreeSet<String>();
    if (Files.exists(list)) {
      listed.addAll(Files.readAllLines(list));
      listed.removeIf(line -> line.isBlank() || line.startsWith("#"));
    }
    if (!found.equals(listed)) {
      var changed = new TreeSet<>(found);
      changed.addAll(listed);
      changed.removeIf(line -> found.contains(line) && listed.contains(line));
      System.err.println("The public API is not what api/signatures.txt says (- went, + came):");
      changed.forEach(line -> System.err.println((found.contains(line) ? "+ " : "- ") + line));
      System.err.println(
          "If that is meant: mvn -pl checks verify -Dsignatures.mode=write, and name the change in"
              + " CHANGELOG.md");
      System.exit(1);
    }
  }

  private static SortedSet<String> read(Path sources, String modulePath) throws IOException {
    List<Path> files;
    try (Stream<Path> below = Files.walk(sources)) {
      files =
          below
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.toString().contains("snippet-files"))
              .toList();
    }
    var compiler = ToolProvider.getSystemJavaCompiler();
    var problems = new DiagnosticCollector<JavaFileObject>();
    try (var manager = compiler.getStandardFileManager(problems, null, null)) {
      var units = manager.getJavaFileObjectsFromPaths(files);
      var options = List.of("-proc:none", "--module-path", modulePath);
      var task = (JavacTask) compiler.getTask(null, manager, problems, options, null, units);
      var signatures = new Signatures(task);
      Iterable<? extends Element> analyzed = task.analyze();
      for (var problem : problems.getDiagnostics()) {
        if (problem.getKind() == Diagnostic.Kind.ERROR) {
          throw new IllegalStateException("The module api does not compile: " + problem);
        }
      }
      for (Element element : analyzed) {
        if (element instanceof TypeElement type && signatures.exported(type)) {
          signatures.type(type);
        }
      }
      return signatures.lines;
    }
  }

  private boolean exported(TypeElement type) {
    return type.getNestingKind() == NestingKind.TOP_LEVEL
        && ElementFilter.exportsIn(elements.getModuleOf(type).getDirectives()).stream()
            .filter(each -> each.getTargetModules() == null)
            .anyMatch(each -> each.getPackage().equals(elements.getPackageOf(type)));
  }

  private void type(TypeElement type) {
    if (!seen(type)) {
      return;
    }
    var text = new StringBuilder(modifiers(type));
    text.append(type.getKind().name().toLowerCase(Locale.ROOT));
    text.append(typeParameters(type.getTypeParameters()));
    if (type.getKind() == ElementKind.RECORD) {
      text.append(
          type.getRecordComponents().stream()
              .map(each -> name(each.asType()) + " " + each.getSimpleName())
              .collect(Collectors.joining(", ", " (", ")")));
    }
    if (type.getKind() == ElementKind.CLASS) {
      text.append(clause("extends", ", ", List.of(type.getSuperclass())));
    }
    String interfaces = type.getKind().isInterface() ? "extends" : "implements";
    text.append(clause(interfaces, ", ", type.getInterfaces()));
    text.append(clause("permits", ", ", type.getPermittedSubclasses()));
    lines.add(type.getQualifiedName() + " : " + text);
    for (Element member : type.getEnclosedElements()) {
      switch (member) {
        case TypeElement nested -> type(nested);
        case RecordComponentElement _ -> {}
        case VariableElement field when seen(field) -> field(type, field);
        case ExecutableElement method when seen(method) -> method(type, method);
        default -> {}
      }
    }
  }

  private void field(TypeElement type, VariableElement field) {
    boolean constant = field.getKind() == ElementKind.ENUM_CONSTANT;
    String kind = constant ? "constant" : modifiers(field) + name(field.asType());
    Object value = field.getConstantValue();
    String set = value == null ? "" : " = " + elements.getConstantExpression(value);
    lines.add(type.getQualifiedName() + "." + field.getSimpleName() + " : " + kind + set);
  }

  private void method(TypeElement type, ExecutableElement method) {
    String parameters =
        method.getParameters().stream()
            .map(each -> name(each.asType()))
            .collect(Collectors.joining(", ", "(", ")"));
    if (method.isVarArgs()) {
      parameters = parameters.replaceFirst("\\[\\]\\)$", "...)");
    }
    String call = method.getSimpleName() + parameters;
    if (OF_OBJECTS.contains(call)
        || (type.getKind() == ElementKind.ENUM && OF_ENUMS.contains(call))) {
      return;
    }
    boolean constructor = method.getKind() == ElementKind.CONSTRUCTOR;
    String variables = typeParameters(method.getTypeParameters());
    lines.add(
        type.getQualifiedName()
            + (constructor ? parameters : "." + call)
            + " : "
            + modifiers(method)
            + (variables.isEmpty() ? "" : variables + " ")
            + (constructor ? "constructor" : name(method.getReturnType()))
            + clause("throws", ", ", method.getThrownTypes()));
  }

  private static boolean seen(Element element) {
    return element.getModifiers().contains(Modifier.PUBLIC)
        || element.getModifiers().contains(Modifier.PROTECTED);
  }

  /// Interfaces, records and enums are abstract, static or final without a choice.
  private static String modifiers(Element element) {
    ElementKind kind = element.getKind();
    var shown = EnumSet.copyOf(element.getModifiers());
    shown.removeAll(UNNOTICED);
    if (kind.isInterface() || kind == ElementKind.RECORD || kind == ElementKind.ENUM) {
      shown.removeAll(EnumSet.of(Modifier.ABSTRACT, Modifier.STATIC, Modifier.FINAL));
    }
    return shown.stream().map(each -> each + " ").collect(Collectors.joining());
  }

  private String typeParameters(List<? extends TypeParameterElement> parameters) {
    String all =
        parameters.stream()
            .map(each -> each + clause("extends", " & ", each.getBounds()))
            .collect(Collectors.joining(", "));
    return all.isEmpty() ? "" : "<" + all + ">";
  }

  private String clause(String word, String between, List<? extends TypeMirror> named) {
    String all = named.stream().map(this::name).collect(Collectors.joining(between));
    return all.isEmpty() || all.equals("Object") ? "" : " " + word + " " + all;
  }

  /// With all its type arguments and without annotations.
  private String name(TypeMirror type) {
    return types.stripAnnotations(type).toString().replaceAll("\\bjava\\.lang\\.(?=[A-Z])", "");
  }
}
