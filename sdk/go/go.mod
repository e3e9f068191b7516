module github.com/chainfold/chainfold/sdk/go

go 1.19
