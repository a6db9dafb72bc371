import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, BASE_URL, PORT } = process.env;

const strategy = new OAuth2Strategy(
  {
    authorizationURL: `${ISSUER}/authorize`,
    tokenURL: `${ISSUER}/token`,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    callbackURL: `${BASE_URL}/callback`,
    scope: ['openid', 'profile', 'email'],
    state: true,
    pkce: true,
  },
  (_accessToken, _refreshToken, profile, done) => done(null, profile),
);
strategy.userProfile = function userProfile(accessToken, done) {
  this._oauth2.useAuthorizationHeaderforGET(true);
  this._oauth2.get(`${ISSUER}/userinfo`, accessToken, (error, body) =>
    error ? done(error) : done(null, JSON.parse(body)),
  );
};
passport.use(strategy);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.use(session({ secret: 'replace this', resave: false, saveUninitialized: false }));
app.use(passport.session());
app.get('/login', passport.authenticate('oauth2'));
app.get('/callback', passport.authenticate('oauth2', { successRedirect: '/', failureRedirect: '/failed' }));
app.get('/', (request, response) => response.json(request.user ?? null));
app.listen(Number(PORT));
