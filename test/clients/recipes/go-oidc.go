package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

func random() string {
	bytes := make([]byte, 16)
	rand.Read(bytes)
	return base64.RawURLEncoding.EncodeToString(bytes)
}

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	clientID := os.Getenv("CLIENT_ID")
	config := oauth2.Config{
		ClientID:     clientID,
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  os.Getenv("BASE_URL") + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: clientID})
	// One person at a time: a website keeps these in the person's session.
	state, nonce := random(), random()

	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, config.AuthCodeURL(state, oidc.Nonce(nonce)), http.StatusFound)
	})
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("state") != state {
			http.Error(w, "another state", http.StatusBadRequest)
			return
		}
		token, err := config.Exchange(ctx, r.URL.Query().Get("code"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		raw, _ := token.Extra("id_token").(string)
		idToken, err := verifier.Verify(ctx, raw)
		if err != nil || idToken.Nonce != nonce {
			http.Error(w, "the ID token is not valid", http.StatusBadGateway)
			return
		}
		user, err := provider.UserInfo(ctx, config.TokenSource(ctx, token))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		var claims map[string]any
		user.Claims(&claims)
		json.NewEncoder(w).Encode(claims)
	})
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("Go to /login")) })
	log.Fatal(http.ListenAndServe("localhost:"+os.Getenv("PORT"), nil))
}
