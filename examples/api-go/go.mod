module example.org/orders

go 1.23

require github.com/coreos/go-oidc/v3 v3.11.0
