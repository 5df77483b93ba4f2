// Writes the SDKs of a schema: `codegen SCHEMA FOLDER` makes FOLDER/python, FOLDER/go and FOLDER/nodejs. The CLI does the
// same with `pulumi package gen-sdk`, where the language hosts are new enough.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

type files = map[string][]byte

// noOthers is the loader of other packages: the schema names none.
type noOthers struct{ schema.ReferenceLoader }

var generators = map[string]func(*schema.Package) (files, error){
	"python": func(pkg *schema.Package) (files, error) {
		return python.GeneratePackage("pulumi-dbcloud", pkg, files{}, noOthers{})
	},
	"nodejs": func(pkg *schema.Package) (files, error) {
		return nodejs.GeneratePackage("pulumi-dbcloud", pkg, files{}, nil, false, noOthers{})
	},
	"go": func(pkg *schema.Package) (files, error) {
		made, err := gogen.GeneratePackage("pulumi-dbcloud", pkg, nil)
		if err != nil {
			return nil, err
		}
		// Pulumi: the generator leaves the module to whoever publishes the package.
		base := pkg.Language["go"].(gogen.GoPackageInfo).ImportBasePath
		module := fmt.Sprintf("module %s\n\ngo 1.25.11\n\nrequire github.com/pulumi/pulumi/sdk/v3 %s\n", base, pulumiVersion())
		made[filepath.Join(filepath.Base(base), "go.mod")] = []byte(module)
		return made, nil
	},
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: codegen SCHEMA FOLDER")
		os.Exit(2)
	}
	for language, generate := range generators {
		if err := write(os.Args[1], filepath.Join(os.Args[2], language), generate); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", language, err)
			os.Exit(1)
		}
	}
}

// Every generator gets a package of its own, because it changes the settings of its language in it.
func write(schemaFile, folder string, generate func(*schema.Package) (files, error)) error {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	pkg, problems, err := schema.BindSpec(spec, noOthers{}, schema.ValidationOptions{})
	if err != nil {
		return err
	}
	if problems.HasErrors() {
		return problems
	}
	made, err := generate(pkg)
	if err != nil {
		return err
	}
	for name, content := range made {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pulumiVersion is the version of the SDK that this program was built with.
func pulumiVersion() string {
	build, _ := debug.ReadBuildInfo()
	for _, dependency := range build.Deps {
		if dependency.Path == "github.com/pulumi/pulumi/sdk/v3" {
			return dependency.Version
		}
	}
	return "v3.0.0"
}
