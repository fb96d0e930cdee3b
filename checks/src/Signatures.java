// SPDX-License-Identifier: Apache-2.0
import module java.base;
import module java.compiler;

import com.sun.source.util.JavacTask;
import javax.lang.model.element.Modifier;
import javax.tools.ToolProvider;

/// Compares the public elements of the modules `api` and `provider-kit` with lists in the
/// repository, so that no public element is added, removed or changed unnoticed. It reads sources:
/// the build begins here, when no class is compiled yet.
///
/// Whatever is public or protected in an exported package has a line: types with the components of
/// records and what sealed types permit, fields with the values of constants, constructors and
/// methods with their type parameters and exceptions. Nullness stands in no line; names of
/// parameters neither; what every object or every enum has is left out.
///
/// Run by Maven from its source: `java Signatures.java check|write <root> <module path>`.
final class Signatures {

  /// Modifiers that users of an element know or do not care for.
  private static final Set<Modifier> UNNOTICED =
      Set.of(Modifier.PUBLIC, Modifier.NATIVE, Modifier.STRICTFP, Modifier.SYNCHRONIZED);

  private static final Set<String> OF_OBJECTS =
      Set.of("equals(Object)", "hashCode()", "toString()");
  private static final Set<String> OF_ENUMS = Set.of("values()", "valueOf(String)");

  /// The folders of the modules with a list.
  private static final List<String> LISTED = List.of("api", "provider-kit");

  /// The folders of the modules that are read, by the names of the modules.
  private static final Map<String, String> READ =
      Map.of(
          "org.ofi4j.api",
          "api",
          "org.ofi4j.core",
          "core",
          "org.ofi4j.provider.kit",
          "provider-kit");

  private final Elements elements;
  private final Types types;

  /// The lines of each folder.
  private final Map<String, SortedSet<String>> found = new TreeMap<>();

  /// The lines of the module whose type is read.
  private SortedSet<String> lines = new TreeSet<>();

  private Signatures(JavacTask task) {
    this.elements = task.getElements();
    this.types = task.getTypes();
  }

  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[1]);
    boolean same = true;
    Map<String, SortedSet<String>> found = read(root, arguments[2]);
    for (String folder : LISTED) {
      Path list = root.resolve(folder).resolve("signatures.txt");
      if (arguments[0].equals("write")) {
        write(list, folder, found.get(folder));
      } else {
        same &= isListed(list, folder, found.get(folder));
      }
    }
    if (!same) {
      System.err.println(
          "If that is meant: mvn -pl checks verify -Dsignatures.mode=write, and name the change in"
              + " CHANGELOG.md");
      System.exit(1);
    }
  }

  private static void write(Path list, String folder, SortedSet<String> found) throws IOException {
    var text = new ArrayList<String>();
    text.add("# The public elements of the module " + folder + ", which each build compares.");
    text.add("# To write the list again: mvn -pl checks verify -Dsignatures.mode=write");
    text.addAll(found);
    Files.write(list, text);
  }

  private static boolean isListed(Path list, String folder, SortedSet<String> found)
      throws IOException {
    var listed = new TreeSet<String>();
    if (Files.exists(list)) {
      listed.addAll(Files.readAllLines(list));
      listed.removeIf(line -> line.isBlank() || line.startsWith("#"));
    }
    if (found.equals(listed)) {
      return true;
    }
    var changed = new TreeSet<>(found);
    changed.addAll(listed);
    changed.removeIf(line -> found.contains(line) && listed.contains(line));
    System.err.println(
        "The public elements differ from " + folder + "/signatures.txt (- removed, + added):");
    changed.forEach(line -> System.err.println((found.contains(line) ? "+ " : "- ") + line));
    return false;
  }

  private static Map<String, SortedSet<String>> read(Path root, String modulePath)
      throws IOException {
    var files = new ArrayList<Path>();
    for (String folder : LISTED) {
      try (Stream<Path> below = Files.walk(sources(root, folder))) {
        below
            .filter(file -> file.toString().endsWith(".java"))
            .filter(file -> !file.toString().contains("snippet-files"))
            .forEach(files::add);
      }
    }
    var compiler = ToolProvider.getSystemJavaCompiler();
    var problems = new DiagnosticCollector<JavaFileObject>();
    try (var manager = compiler.getStandardFileManager(problems, null, null)) {
      var units = manager.getJavaFileObjectsFromPaths(files);
      // Several modules need a directory for classes, although analysis writes none.
      var options =
          new ArrayList<>(
              List.of("-proc:none", "--module-path", modulePath, "-d", root.toString()));
      READ.forEach((name, folder) ->
          Collections.addAll(options, "--module-source-path", name + "=" + sources(root, folder)));
      var task = (JavacTask) compiler.getTask(null, manager, problems, options, null, units);
      var signatures = new Signatures(task);
      Iterable<? extends Element> analyzed = task.analyze();
      for (var problem : problems.getDiagnostics()) {
        if (problem.getKind() == Diagnostic.Kind.ERROR) {
          throw new IllegalStateException("The sources do not compile: " + problem);
        }
      }
      for (Element element : analyzed) {
        if (element instanceof TypeElement type && signatures.exported(type)) {
          String module = signatures.elements.getModuleOf(type).getQualifiedName().toString();
          signatures.lines =
              signatures.found.computeIfAbsent(READ.get(module), _ -> new TreeSet<>());
          signatures.type(type);
        }
      }
      return signatures.found;
    }
  }

  private static Path sources(Path root, String folder) {
    return root.resolve(folder).resolve("src/main/java");
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
