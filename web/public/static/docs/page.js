// The API page: one document, sections closed until somebody opens them, nothing sent anywhere else.

SwaggerUIBundle({
  url: "../openapi.json",
  domNode: document.getElementById("api"),
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
