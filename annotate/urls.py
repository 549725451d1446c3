"""Addresses of people, studies and their work."""

from django.contrib.auth.decorators import login_not_required
from django.urls import path
from django.views.i18n import set_language

from annotate.views import account, rate, sound

urlpatterns = [
    path("", account.home, name="home"),
    path("healthz/", account.health, name="health"),
    path("sign-in/", account.SignIn.as_view(), name="sign_in"),
    path("sign-in/demo/", account.sign_in_demo, name="sign_in_demo"),
    path("sign-in/here/", account.sign_in_here, name="sign_in_here"),
    path("sign-out/", account.sign_out, name="sign_out"),
    path("language/", login_not_required(set_language), name="set_language"),
    path("studies/<slug:slug>/work/", rate.work, name="work"),
    path("studies/<slug:slug>/resume/", rate.resume, name="resume"),
    path("rate/<uuid:public_id>/", rate.rate, name="rate"),
    path("rate/<uuid:public_id>/draft/", rate.draft, name="rate_draft"),
    path("rate/<uuid:public_id>/listening/", rate.listening, name="rate_listening"),
    path("rate/<uuid:public_id>/submit/", rate.submit, name="rate_submit"),
    path("rate/<uuid:public_id>/skip/", rate.skip, name="rate_skip"),
    path("rate/<uuid:public_id>/pause/", rate.pause, name="rate_pause"),
    path("rate/<uuid:public_id>/ahead/", rate.ahead, name="rate_ahead"),
    path("rate/<uuid:public_id>/sound/<slug:name>/", sound.sound, name="rate_sound"),
]
