// An API in Go, which checks the access tokens of Gatehouse with coreos/go-oidc.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	issuer := setting("ISSUER", "http://localhost:8000")
	resource := setting("RESOURCE", "https://api.example.org")
	port := setting("PORT", "8200")

	// Reads the discovery document, which names the keys and their algorithms.
	provider, err := oidc.NewProvider(context.Background(), issuer)
	if err != nil {
		log.Fatal(err)
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: resource})

	http.HandleFunc("GET /orders", func(w http.ResponseWriter, r *http.Request) {
		scheme, raw, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		token, err := verifier.Verify(r.Context(), raw)
		var claims struct {
			Scope    string `json:"scope"`
			ClientID string `json:"client_id"`
		}
		// RFC 9068: an ID token has no client_id.
		if !strings.EqualFold(scheme, "bearer") || err != nil || token.Claims(&claims) != nil || claims.ClientID == "" {
			refuse(w, 401, "unauthenticated", `Bearer error="invalid_token"`)
			return
		}
		// A scope says what the token is for. What this person may do, the API decides by its own data.
		if !slices.Contains(strings.Fields(claims.Scope), "orders:read") {
			refuse(w, 403, "insufficient_scope", `Bearer error="insufficient_scope", scope="orders:read"`)
			return
		}
		answer(w, 200, map[string]any{"of": token.Subject, "orders": []string{}})
	})
	fmt.Printf("listening on http://localhost:%s\n", port)
	log.Fatal(http.ListenAndServe("localhost:"+port, nil))
}

func refuse(w http.ResponseWriter, status int, code, challenge string) {
	w.Header().Set("WWW-Authenticate", challenge)
	answer(w, status, map[string]any{"code": code})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}
